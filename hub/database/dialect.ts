/** The kind of database, for the few statements that differ between the two. */
export type Dialect = "sqlite" | "postgres";
