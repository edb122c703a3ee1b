import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Sqlite from "libsql";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SqliteWriters } from "../../../../hub/database/other-writers.js";

let directory: string;
let own: Sqlite.Database;
let other: Sqlite.Database;
let nowMs: number;
let writers: SqliteWriters;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "writers-"));
  const open = () => new Sqlite(path.join(directory, "hub.db"));
  [own, other] = [open(), open()];
  own.pragma("journal_mode = WAL");
  own.exec("create table words (word text)");
  nowMs = 0;
  writers = new SqliteWriters(own, () => nowMs);
});
afterEach(() => {
  own.close();
  other.close();
  rmSync(directory, { recursive: true });
});

test("writes of this process and reads of others do not count as writes of others", () => {
  const before = writers.stamp();
  own.exec("insert into words values ('x')");
  other.prepare("select * from words").all();
  nowMs += 1000;
  expect(writers.stamp()).toBe(before);
});

test("a write of another process is noticed a tenth of a second later", () => {
  const before = writers.stamp();
  other.exec("insert into words values ('x')");
  nowMs += 99;
  expect(writers.stamp()).toBe(before);
  nowMs += 1;
  expect(writers.stamp()).not.toBe(before);
});
