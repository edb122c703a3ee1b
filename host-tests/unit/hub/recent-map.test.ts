import { expect, test } from "vitest";
import { RecentMap } from "../../../hub/recent-map.js";

function valuesOf(map: RecentMap<string, number>, keys: string): (number | undefined)[] {
  return [...keys].map((key) => map.get(key));
}

test("RecentMap keeps the half of its limit that was used last", () => {
  const map = new RecentMap<string, number>(4);
  [..."abcd"].forEach((key, index) => void map.set(key, index));
  expect(map.get("a")).toBe(0); // used again, after c and d
  map.set("e", 4);
  expect(valuesOf(map, "ae")).toEqual([0, 4]);
});

test("RecentMap never has more entries than its limit", () => {
  const map = new RecentMap<string, number>(4);
  const keys = "abcdefghijklm";
  [...keys].forEach((key, index) => void map.set(key, index));
  const kept = valuesOf(map, keys).filter((value) => value !== undefined);
  expect(kept.length).toBeGreaterThanOrEqual(2);
  expect(kept.length).toBeLessThanOrEqual(4);
});

test("RecentMap replaces a value without forgetting another", () => {
  const map = new RecentMap<string, number>(4);
  map.set("a", 1);
  map.set("b", 2);
  for (let value = 3; value < 10; value++) map.set("a", value);
  expect(valuesOf(map, "ab")).toEqual([9, 2]);
});

test("RecentMap has one value for a key, also where both generations had one", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2); // a is in the earlier generation
  map.set("a", 3);
  expect(map.get("a")).toBe(3);
  map.delete("a");
  expect(map.get("a")).toBeUndefined();
});

test("RecentMap returns no entry that was deleted or cleared", () => {
  const map = new RecentMap<string, number>(4);
  map.set("a", 1);
  map.set("b", 2);
  map.delete("a");
  expect(valuesOf(map, "ab")).toEqual([undefined, 2]);
  map.clear();
  expect(map.get("b")).toBeUndefined();
});
