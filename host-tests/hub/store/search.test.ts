/** Ranked search, and categories (docs/spec/hub-api.md#catalog-relevance). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appPackage, HubPublisher } from "../catalog/hub-publisher.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";

const APPS = [
  { id: "snake", description: "Eats apples", page: { category: "games", about: "A long animal." } },
  { id: "snake-hunt", description: "Finds them", page: { category: "games" } },
  { id: "super.snake", name: "Würm & Söhne", description: "", page: { category: "puzzles" } },
  { id: "zoo", description: "With a snake", page: { category: "learning", about: "Lions and apples" } },
  { id: "snakes", description: "", page: {} },
  { id: "apples", description: "Counts", page: { category: "tools", homepage_url: "https://snake.example" } },
] as const;

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Ranked search on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: HubPublisher;
    const ids = async (query: string) => {
      const { status, body } = await publisher.get(`/catalog?${query}`);
      expect(status).toBe(200);
      const found = body.apps.map((app: { id: string }) => app.id);
      expect(body.total).toBe(found.length);
      return found;
    };
    const search = (q: string, more = "") => ids(`q=${encodeURIComponent(q)}&sort=relevance${more}`);

    beforeAll(async () => {
      hub = await start();
      publisher = await HubPublisher.register(hub, "Pixel Works");
      for (const { id, page, description, ...rest } of APPS) {
        expect((await publisher.publish(await appPackage({ name: id, description }))).status).toBe(201);
        await publisher.request("PUT", `/catalog/${id}/page`, { json: page });
        if ("name" in rest) await publisher.request("PUT", `/catalog/${id}`, { json: { name: rest.name } });
      }
    });
    afterAll(() => hub.stop());

    const SEARCHES: readonly (readonly [q: string, found: readonly string[]])[] = [
      // the very name, a word of the name, the beginning of one, a word of the text; then by name
      ["snake", ["snake", "snake-hunt", "super.snake", "snakes", "zoo"]],
      ["SNAKE", ["snake", "snake-hunt", "super.snake", "snakes", "zoo"]],
      ["snak", ["snake", "snake-hunt", "snakes", "super.snake"]],
      ["apples", ["apples", "snake", "zoo"]],
      ["lions apples", ["zoo"]],
      ["apples snake", ["snake", "zoo"]],
      ["hunt snake", ["snake-hunt"]],
      ["würm & söhne", ["super.snake"]],
      ["WÜRM", ["super.snake"]],
      ["ｓｎａｋｅｓ", ["snakes"]],
      ["super.snake", ["super.snake"]],
      ["nake", []],
      ["lio", []],
      ["snake nothing", []],
      ["pixel works", ["apples", "snake", "snake-hunt", "snakes", "super.snake", "zoo"]],
      ["!!!", []],
      ["'; drop table apps; --", []],
      ["%", []],
      ["a b c d e f g h i j k l m n o p q r s t u v w x y z", []],
    ];
    for (const [q, found] of SEARCHES)
      test(`finds ${JSON.stringify(q)}, best match first`, async () =>
        expect(await search(q)).toEqual(found));

    test("without words is the list by name", async () => {
      const all = await ids("sort=name");
      expect(await ids("sort=relevance")).toEqual(all);
      expect(await search(" ")).toEqual(all);
    });

    test("has pages", async () => {
      const { body } = await publisher.get("/catalog?q=snake&sort=relevance&per_page=2&page=2");
      expect([body.total, body.apps.map((app: { id: string }) => app.id)]).toEqual([
        5,
        ["super.snake", "snakes"],
      ]);
      expect((await publisher.get("/catalog?q=snake&sort=relevance&page=99")).body).toMatchObject({
        total: 5,
        apps: [],
      });
    });

    test("and lists stay within a category", async () => {
      expect(await ids("category=games")).toEqual(["snake", "snake-hunt"]);
      expect(await search("snake", "&category=puzzles")).toEqual(["super.snake"]);
      expect(await ids("category=music")).toEqual([]);
      expect((await publisher.get("/catalog?category=toys")).body.error).toBe("bad_parameter");
    });

    test("follows what is changed, retracted and published again", async () => {
      await publisher.request("PUT", "/catalog/zoo/page", { json: { about: "Lemurs" } });
      expect([await search("lions"), await search("lemurs")]).toEqual([[], ["zoo"]]);
      await publisher.request("PUT", "/catalog/zoo", { json: { name: "Menagerie", description: "Bears" } });
      expect([await search("menag"), await search("bears"), await search("snake lemurs")]).toEqual([
        ...[["zoo"], ["zoo"]],
        [],
      ]);
      await publisher.request("PUT", "/catalog/zoo/page", { json: { category: "art" } });
      expect([await ids("category=learning"), await ids("category=art")]).toEqual([[], ["zoo"]]);
      await publisher.request("DELETE", "/catalog/zoo");
      expect([await search("zoo"), await search("lemurs"), await ids("category=art")]).toEqual([[], [], []]);
      await publisher.publish(await appPackage({ name: "zoo", version: "2.0.0", description: "Otters" }));
      expect([await search("lemurs"), await search("otters"), await search("bears")]).toEqual([
        ...[["zoo"], ["zoo"]],
        [],
      ]);
    });
  });
