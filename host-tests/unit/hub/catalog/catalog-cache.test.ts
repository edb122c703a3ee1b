import { expect, test } from "vitest";
import { CatalogCache } from "../../../../hub/catalog/catalog-cache.js";
import { MANY_WRITERS } from "../../../../hub/database/other-writers.js";

/** Lists that count how often they were built, and a database whose other writers the test controls. */
function kept() {
  const others = { written: 0, stamp: () => others.written };
  const lists = new CatalogCache<Buffer>(others);
  let made = 0;
  const make = async () => Buffer.from(String(++made));
  const read = async (key = "first page") => String(await lists.get(key, make));
  return { lists, others, read };
}

test("a list is built once until a change", async () => {
  const { read } = kept();
  expect([await read(), await read()]).toEqual(["1", "1"]);
});

test("each page is built separately", async () => {
  const { read } = kept();
  expect([await read("first"), await read("second"), await read("first")]).toEqual(["1", "2", "1"]);
});

test("a list is built again after a change of the catalogue", async () => {
  const { lists, read } = kept();
  await read();
  lists.clear();
  expect(await read()).toBe("2");
});

test("a list is built again after a write by another process", async () => {
  const { others, read } = kept();
  await read();
  others.written++;
  expect(await read()).toBe("2");
});

test("a list that became outdated while being built is returned, and not cached", async () => {
  const { lists, read } = kept();
  const overtaken = lists.get("first page", async () => {
    lists.clear();
    return Buffer.from("old");
  });
  expect(String(await overtaken)).toBe("old");
  expect(await read()).toBe("1");
});

test("processes that share a database keep lists until its revision changes", async () => {
  let [revision, looks, made] = [7, 0, 0];
  const lists = new CatalogCache<Buffer>(MANY_WRITERS, async () => {
    looks++;
    return revision;
  });
  const read = async () => String(await lists.get("first page", async () => Buffer.from(String(++made))));
  expect([await read(), await read()]).toEqual(["1", "1"]);
  revision++;
  expect(await read()).toBe("2");
  looks = 0;
  expect(await Promise.all(Array.from({ length: 50 }, read))).toEqual(Array(50).fill("2"));
  expect(looks).toBe(2); // one for the first, one for all who came during it
});

test("nothing is cached if several processes share the database and it does not count", async () => {
  const lists = new CatalogCache<Buffer>(MANY_WRITERS);
  let made = 0;
  const make = async () => Buffer.from(String(++made));
  await lists.get("first page", make);
  expect(String(await lists.get("first page", make))).toBe("2");
});
