import { expect, test } from "vitest";
import { LruMap } from "../../../hub/lru-map.js";

test("LruMap evicts the least recently used entry beyond its limit", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.get("a");
  map.set("c", 3);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([1, undefined, 3]);
});

test("LruMap replaces a value without evicting another", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  expect([map.get("a"), map.get("b")]).toEqual([3, 2]);
});

test("LruMap returns no entry that was deleted or cleared", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.delete("a");
  expect([map.get("a"), map.get("b")]).toEqual([undefined, 2]);
  map.clear();
  expect(map.get("b")).toBeUndefined();
});
