import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Sqlite from "libsql";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SqliteWriters } from "../../../../hub/database/other-writers.js";

let directory: string;
let own: Sqlite.Database;
let other: Sqlite.Database;
let writers: SqliteWriters;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "writers-"));
  const open = () => new Sqlite(path.join(directory, "hub.db"));
  [own, other] = [open(), open()];
  own.pragma("journal_mode = WAL");
  own.exec("create table words (word text)");
  vi.useFakeTimers();
  writers = new SqliteWriters(own);
});
afterEach(() => {
  vi.useRealTimers();
  own.close();
  other.close();
  rmSync(directory, { recursive: true });
});

test("writes of this process and reads of others do not count as writes of others", () => {
  const before = writers.stamp();
  own.exec("insert into words values ('x')");
  other.prepare("select * from words").all();
  vi.advanceTimersByTime(1000);
  expect(writers.stamp()).toBe(before);
});

test("a write of another process is noticed a tenth of a second later", () => {
  const before = writers.stamp();
  other.exec("insert into words values ('x')");
  vi.advanceTimersByTime(99);
  expect(writers.stamp()).toBe(before);
  vi.advanceTimersByTime(1);
  expect(writers.stamp()).not.toBe(before);
});

test("a fresh look notices a write of another process at once, and leaves the other looks as they are", () => {
  const before = writers.stamp();
  other.exec("insert into words values ('x')");
  expect(writers.freshStamp()).not.toBe(before);
  expect(writers.stamp()).toBe(before);
});

test("a fresh look before any other does not end the other looks", () => {
  writers.freshStamp();
  const before = writers.stamp();
  other.exec("insert into words values ('x')");
  vi.advanceTimersByTime(100);
  expect(writers.stamp()).not.toBe(before);
});
