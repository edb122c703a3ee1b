import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Sqlite from "libsql";
import { afterAll, expect, test } from "vitest";
import { FreshValues, UNKNOWN_FRESHNESS } from "../../../../hub/database/freshness.js";
import { SqliteFreshness } from "../../../../hub/database/sqlite-freshness.js";

const directory = mkdtempSync(path.join(tmpdir(), "freshness-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Two connections to a new file, and a clock that stands until it is told. */
function opened(name: string) {
  const open = () => {
    const database = new Sqlite(path.join(directory, name));
    database.pragma("journal_mode = WAL");
    return database;
  };
  const [own, other] = [open(), open()];
  own.exec("create table words (word text)");
  const clock = { nowMs: 0 };
  return { own, other, clock, freshness: new SqliteFreshness(own, () => clock.nowMs) };
}

/** A value that says how often it was made. */
function counted() {
  let made = 0;
  return async () => ++made;
}

test("a value is made once while nothing is written", async () => {
  const { own, freshness } = opened("once");
  const values = new FreshValues<number>(freshness, 10);
  const make = counted();
  expect(await values.get("a", make)).toBe(1);
  own.prepare("select * from words").all();
  expect(await values.get("a", make)).toBe(1);
});

test("a value is made again once this process has written", async () => {
  const { own, freshness } = opened("own");
  const values = new FreshValues<number>(freshness, 10);
  const make = counted();
  await values.get("a", make);
  own.exec("insert into words values ('x')");
  expect(await values.get("a", make)).toBe(2);
});

test("what another process has written is noticed a tenth of a second later", async () => {
  const { other, clock, freshness } = opened("other");
  const values = new FreshValues<number>(freshness, 10);
  const make = counted();
  await values.get("a", make);
  other.exec("insert into words values ('x')");
  expect(await values.get("a", make)).toBe(1);
  clock.nowMs += 100;
  expect(await values.get("a", make)).toBe(2);
});

test("a value that was overtaken by a write is given to who asked for it, and not kept", async () => {
  const { own, freshness } = opened("overtaken");
  const values = new FreshValues<string>(freshness, 10);
  const old = await values.get("a", async () => {
    own.exec("insert into words values ('x')");
    return "old";
  });
  expect(old).toBe("old");
  expect(await values.get("a", async () => "new")).toBe("new");
});

test("no more values are kept than there is room for", async () => {
  const { freshness } = opened("limit");
  const values = new FreshValues<number>(freshness, 1);
  const make = counted();
  await values.get("a", make);
  await values.get("b", make);
  expect([await values.get("a", make), await values.get("b", make)]).toEqual([1, 3]);
});

test("nothing is kept where only the database can tell", async () => {
  const values = new FreshValues<number>(UNKNOWN_FRESHNESS, 10);
  const make = counted();
  expect([await values.get("a", make), await values.get("a", make)]).toEqual([1, 2]);
});
