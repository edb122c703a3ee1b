import { expect, test } from "vitest";
import { domainName } from "../../../../device/services/mdns/domain-name.js";
import { OwnedRecord, pointerRecord } from "../../../../device/services/mdns/resource-record.js";

const record = () => new OwnedRecord(pointerRecord(domainName("a"), domainName("b")));

test("a record that was not requested is never due", () => {
  expect(record().dueMs).toBe(Number.POSITIVE_INFINITY);
});

test("a record requested twice is due at the earlier time", () => {
  const owned = record();
  owned.want(100);
  owned.want(50);
  owned.want(200);
  expect(owned.dueMs).toBe(50);
});

test("a record is due a second after its last sending at the earliest, or 250 ms to refuse a probe", () => {
  const owned = record();
  owned.sent(1000);
  owned.want(1100);
  expect(owned.dueMs).toBe(2000);
  owned.defend(1100);
  expect(owned.dueMs).toBe(1250);
});

test("a record that waits for known answers is not sent early with others", () => {
  const held = record();
  held.want(500, "10.0.0.9");
  expect([held.goesAlong(100), held.goesAlong(500)]).toEqual([false, true]);
  const free = record();
  free.want(500);
  expect(free.goesAlong(100)).toBe(true);
});

test("a record is not sent early with others within a second of its last sending", () => {
  const owned = record();
  owned.sent(0);
  owned.want(100);
  expect([owned.goesAlong(999), owned.goesAlong(1000)]).toEqual([false, true]);
});

test("a record is fresh for a quarter of its life", () => {
  const owned = record();
  expect(owned.isFresh(0)).toBe(false);
  owned.sent(0);
  expect([owned.isFresh(1_124_999), owned.isFresh(1_125_000)]).toEqual([true, false]);
});
