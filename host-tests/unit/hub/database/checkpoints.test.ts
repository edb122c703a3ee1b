/** The write-ahead log is moved to the file by a thread, while the database is open. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { Checkpoints } from "../../../../hub/database/checkpoints.js";
import { openDatabase } from "../../../../hub/database/open-database.js";
import { inPieces } from "../../../../hub/database/transactions.js";

const directory = mkdtempSync(path.join(tmpdir(), "checkpoints-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("What many transactions have written is in the file itself while the database is open", async () => {
  const { database } = await openDatabase({ storagePath: directory, databaseUrl: undefined });
  const file = path.join(directory, "hub.db");
  const before = statSync(file).size;
  const rows = Array.from({ length: 5000 }, (_, at) => ({
    id: `account ${at}`,
    token_hash: `${at}`,
    created_at: 0,
  }));
  for (const piece of inPieces(rows)) await database.insertInto("accounts").values(piece).execute();
  await expect.poll(() => statSync(file).size, { timeout: 10_000 }).toBeGreaterThan(before + 100_000);
  await database.destroy();
});

test("A log that cannot be moved harms nobody", async () => {
  const checkpoints = new Checkpoints(path.join(directory, "missing", "hub.db"));
  checkpoints.onWritten(10_000);
  checkpoints.onWritten(10_000);
  await checkpoints.close();
});
