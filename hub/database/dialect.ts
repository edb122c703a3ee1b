/** Which database it is: for the few statements that the two do not have alike. */
export type Dialect = "sqlite" | "postgres";
