/** Rows that a statement gets in one parameter, on the database of each kind. */
import { Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresDialect } from "../../../hub/database/postgres.js";
import type { Database, Tables } from "../../../hub/database/schema.js";
import { inSlices, isOneOf, tableOf, type Value } from "../../../hub/database/transactions.js";
import { isMissing } from "../../hosts/peers.js";
import { openMemoryDatabase } from "../../unit/hub/database/temporary-database.js";
import { createTestDatabase, type TestDatabase } from "../hosts/test-database.js";

const TEXT = 'a "text" of \u{1f600}, \\ and é';

/** Columns: integers, texts, texts and null. */
const rowsOf = (count: number, row: (at: number) => readonly Value[]) =>
  Array.from({ length: count }, (_, at) => row(at));

const TABLES: readonly (readonly [what: string, rows: readonly (readonly Value[])[]])[] = [
  ["one row", [[7, TEXT, null]]],
  ["few rows", rowsOf(3, (at) => [at, `${at}`, TEXT])],
  ["rows of one integer", rowsOf(100, (at) => [1, `${at}`, at % 2 === 0 ? null : TEXT])],
  ["rows of one text", rowsOf(100, (at) => [at, TEXT, `${at}`])],
  ["rows without a text", rowsOf(100, (at) => [at - 50, `${at}`, null])],
  ["rows whose first one alone has no text", rowsOf(100, (at) => [at, TEXT, at === 0 ? null : "t"])],
  ["rows of large integers", rowsOf(40, (at) => [2 ** 53 - 1 - at, "", null])],
  ["rows that are all the same", rowsOf(50, () => [5, TEXT, null])],
];

for (const dialect of ["sqlite", "postgres"] as const)
  describe.skipIf(dialect === "postgres" && isMissing("postgres"))(`A table of rows on ${dialect}`, () => {
    let server: TestDatabase | undefined;
    let database: Database;
    beforeAll(async () => {
      if (dialect === "sqlite") {
        database = await openMemoryDatabase();
        return;
      }
      server = await createTestDatabase();
      database = new Kysely<Tables>({ dialect: postgresDialect(server.url, { onLost: () => {} }) });
    });
    afterAll(async () => {
      await database.destroy();
      await server?.drop();
    });

    for (const [what, rows] of TABLES)
      test(`has ${what} as they were given`, async () => {
        const { rows: read } = await sql<{
          readonly n: number;
          readonly t: string;
          readonly o: string | null;
        }>`
          with given (n, t, o) as (${tableOf(dialect, rows)}) select n, t, o from given`.execute(database);
        const inOrder = (all: readonly (readonly Value[])[]) => all.map((row) => JSON.stringify(row)).sort();
        expect(inOrder(read.map(({ n, t, o }) => [Number(n), t, o]))).toEqual(inOrder(rows));
      });

    test("finds which of many texts a column has", async () => {
      const rows = rowsOf(600, (at) => [at, `${at} ${TEXT}`]);
      const wanted = rows.filter((_, at) => at % 3 === 0).map(([, text]) => String(text));
      let found = 0;
      for (const slice of inSlices(wanted)) {
        const { rows: read } = await sql`
          with given (n, t) as (${tableOf(dialect, rows)})
          select n from given where ${isOneOf(dialect, "t", slice)}`.execute(database);
        expect(read.length).toBe(slice.length);
        found += read.length;
      }
      expect(found).toBe(200);
    });
  });
