/** Entries of the catalogue, and what their publishers may change. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CatalogEntry } from "../../../protocol/hub/answers/catalog.js";
import { bitmap } from "../../hosts/bitmap.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { appPackage, freshName, HubPublisher, publishForm } from "./hub-publisher.js";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The list of apps on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: HubPublisher;
    /** In the order in which they were published. */
    const APPS = [
      { name: "tetris", description: "Falling blocks", author: "Ada" },
      { name: "Snake", description: "100% fun_", author: "Bob" },
      { name: "a.clock", description: "Ticks \\ tocks", author: "ÄRGER" },
      { name: "a-clock", description: "" },
      { name: "zz", description: "Shows the time of day", author: "Ada" },
    ] as const;
    const ids = async (query: string) => {
      const { status, body } = await publisher.get(`/catalog${query}`);
      expect(status).toBe(200);
      return body.apps.map(({ id }: CatalogEntry) => id);
    };

    beforeAll(async () => {
      hub = await start();
      publisher = await HubPublisher.register(hub, "Pixel Works");
    });
    afterAll(() => hub.stop());

    test("is empty while nothing is published", async () => {
      const { status, headers, body } = await publisher.get("/catalog");
      expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
      expect(body).toEqual({ total: 0, page: 1, per_page: 20, apps: [] });
    });

    // docs/spec/hub-api.md#catalog-entry
    test("has each app as soon as it is published, with exactly the fields of an entry", async () => {
      for (const [index, app] of APPS.entries()) {
        expect((await publisher.publish(await appPackage(app))).status).toBe(201);
        expect(await ids("")).toHaveLength(index + 1);
      }
      const { body } = await publisher.get("/catalog?q=tetris");
      expect(body).toEqual({
        total: 1,
        page: 1,
        per_page: 20,
        apps: [
          {
            id: "tetris",
            name: "tetris",
            version: "1.0.0",
            description: "Falling blocks",
            author: "Ada",
            icon_url: "",
            size_bytes: expect.any(Number),
            published_at: expect.stringMatching(TIME),
          },
        ],
      });
    });

    test("names the publisher if the manifest names no author", async () =>
      expect((await publisher.get("/catalog?q=a-clock")).body.apps[0].author).toBe("Pixel Works"));

    test("is sorted by name, ignoring case, and then bytewise", async () =>
      expect(await ids("")).toEqual(["a-clock", "a.clock", "Snake", "tetris", "zz"]));

    const PUBLISHED = APPS.map((app) => app.name);
    const BY_NAME = ["a-clock", "a.clock", "Snake", "tetris", "zz"];
    const SORTED: readonly (readonly [sort: string, order: readonly string[]])[] = [
      ["name", BY_NAME],
      ["-name", [...BY_NAME].reverse()],
      ["published_at", PUBLISHED],
      ["-published_at", [...PUBLISHED].reverse()],
    ];
    for (const [sort, order] of SORTED)
      test(`is sorted by ${sort} on request`, async () => expect(await ids(`?sort=${sort}`)).toEqual(order));

    test("is sorted by downloads on request, and then by name", async () => {
      for (const id of ["zz", "zz", "tetris"])
        expect((await publisher.get(`/catalog/${id}/download`)).status).toBe(200);
      const rising = ["Snake", "a-clock", "a.clock", "tetris", "zz"];
      await expect.poll(() => ids("?sort=downloads")).toEqual(rising);
      expect(await ids("?sort=-downloads")).toEqual(["zz", "tetris", "a.clock", "a-clock", "Snake"]);
    });

    const SEARCHES: readonly (readonly [q: string, found: readonly string[]])[] = [
      ["clock", ["a-clock", "a.clock"]],
      ["CLOCK", ["a-clock", "a.clock"]],
      ["blocks", ["tetris"]],
      ["ada", ["tetris", "zz"]],
      ["ärger", ["a.clock"]],
      ["ÄRGER", ["a.clock"]],
      ["pixel", ["a-clock"]],
      ["%", ["Snake"]],
      ["_", ["Snake"]],
      ["0% fun_", ["Snake"]],
      ["\\", ["a.clock"]],
      ["'", []],
      ["a.clock", ["a.clock"]],
      ["nothing", []],
      ["", BY_NAME],
    ];
    for (const [q, found] of SEARCHES)
      test(`finds ${JSON.stringify(q)} literally in names, descriptions and authors`, async () => {
        const { body } = await publisher.get(`/catalog?q=${encodeURIComponent(q)}`);
        expect(body.apps.map(({ id }: CatalogEntry) => id)).toEqual(found);
        expect(body.total).toBe(found.length);
      });

    // docs/spec/hub-api.md#catalog-tag
    test("is answered 304 to a client that has it, until it changes", async () => {
      const { headers } = await publisher.get("/catalog");
      const tag = headers.get("etag") ?? "";
      expect(headers.get("cache-control")).toBe("private, no-cache");
      for (const method of ["GET", "HEAD"])
        for (const held of [tag, `W/${tag}`, `"other", ${tag}`]) {
          const unchanged = await publisher.request(method, "/catalog", {
            headers: { "if-none-match": held },
          });
          expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0]);
          expect(unchanged.headers.get("etag")).toBe(tag);
        }
      for (const [path, held] of [
        ["/catalog?per_page=1", tag],
        ["/catalog", '"other"'],
      ] as const)
        expect((await publisher.get(path, { "if-none-match": held })).status).toBe(200);
      await publisher.request("PUT", "/catalog/zz", { json: { description: "Shows the time of night" } });
      const changed = await publisher.get("/catalog", { "if-none-match": tag });
      expect([changed.status, changed.headers.get("etag") === tag]).toEqual([200, false]);
      await publisher.request("PUT", "/catalog/zz", { json: { description: "Shows the time of day" } });
      expect((await publisher.get("/catalog", { "if-none-match": tag })).status).toBe(304);
    });

    test("has pages that contain every app once", async () => {
      const pages = await Promise.all(
        [1, 2, 3, 4].map((page) => publisher.get(`/catalog?per_page=2&page=${page}`)),
      );
      expect(pages.map(({ body }) => body.apps.map(({ id }: CatalogEntry) => id))).toEqual([
        ["a-clock", "a.clock"],
        ["Snake", "tetris"],
        ["zz"],
        [],
      ]);
      for (const [index, { body }] of pages.entries())
        expect(body).toMatchObject({ total: 5, per_page: 2, page: index + 1 });
    });

    const WRONG = [
      ...["page=0", "page=-1", "page=1.5", "page=x", "page=", "per_page=0", "per_page=101", "per_page=1e1"],
      ...["sort=size", "sort=--name", "sort=", `q=${"x".repeat(129)}`, "q=%00"],
    ];
    for (const query of WRONG)
      test(`rejects ?${query.slice(0, 20)} as bad_parameter`, async () => {
        const { status, body } = await publisher.get(`/catalog?${query}`);
        expect([status, body.error]).toEqual([400, "bad_parameter"]);
      });

    test("rejects a repeated parameter, and ignores unknown ones", async () => {
      expect((await publisher.get("/catalog?q=a&q=b")).body.error).toBe("duplicate_parameter");
      expect((await publisher.get("/catalog?colour=red")).status).toBe(200);
    });
  });

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`An app in the catalogue on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: HubPublisher;
    let id: string;
    const place = () => `/catalog/${id}`;
    const publish = async (version: string, fields = {}, options = {}) => {
      const file = await appPackage({ name: id, version, ...fields }, options);
      const answer = await publisher.publish(file);
      expect(answer).toMatchObject({ status: 201 });
      return { file, entry: answer.body };
    };

    beforeAll(async () => {
      hub = await start();
      publisher = await HubPublisher.register(hub, "Pixel Works");
    });
    afterAll(() => hub.stop());
    beforeEach(() => {
      id = freshName();
    });

    test("has its manifest and all its versions with their capabilities, newest first", async () => {
      const { file: first } = await publish("1.9.0", { capabilities: ["gpio.read"] });
      const { file: second } = await publish("1.10.0");
      const { status, body } = await publisher.get(place());
      expect(status).toBe(200);
      const version = (number: string, file: Uint8Array, capabilities: readonly string[]) => {
        const published_at = expect.stringMatching(TIME);
        return {
          version: number,
          size_bytes: file.length,
          sha256: sha256(file),
          published_at,
          capabilities,
          target_arch: "generic",
        };
      };
      expect(body).toEqual({
        id,
        name: id,
        version: "1.10.0",
        description: "",
        author: "Pixel Works",
        size_bytes: second.length,
        icon_url: "",
        published_at: expect.stringMatching(TIME),
        manifest: {
          name: id,
          version: "1.10.0",
          description: "",
          author: "",
          capabilities: [],
          memory_quota: 1048576,
          entry: "main",
          target_arch: "generic",
        },
        sha256: sha256(second),
        publisher: "Pixel Works",
        downloads: 0,
        versions: [version("1.10.0", second, []), version("1.9.0", first, ["gpio.read"])],
      });
    });

    test("is app_not_found before it is published", async () => {
      for (const below of ["", "/download", "/icon"]) {
        const { status, body } = await publisher.get(place() + below);
        expect([status, body.error]).toEqual([404, "app_not_found"]);
      }
    });

    test("has an icon that needs no token", async () => {
      const icon = bitmap({ shade: 0x5a });
      const { entry } = await publish("1.0.0", {}, { icon });
      const { origin } = new URL(entry.icon_url);
      expect(hub.origins).toContain(origin);
      expect(entry.icon_url).toBe(`${origin}/api/v1/catalog/${id}/icon`);
      const { status, headers, bytes } = await request(hub.origin, "GET", `${place()}/icon`);
      expect([status, headers.get("content-type")]).toEqual([200, "image/bmp"]);
      expect(bytes).toEqual(icon);
      const held = { headers: { "if-none-match": headers.get("etag") as string } };
      expect((await request(hub.origin, "GET", `${place()}/icon`, held)).status).toBe(304);
    });

    test("has the icon of its newest version", async () => {
      await publish("1.0.0", {}, { icon: bitmap({ shade: 1 }) });
      await publish("1.0.1", {}, { icon: bitmap({ shade: 2 }) });
      expect((await publisher.get(`${place()}/icon`)).bytes).toEqual(bitmap({ shade: 2 }));
      const { entry } = await publish("1.0.2");
      expect(entry.icon_url).toBe("");
      expect((await publisher.get(`${place()}/icon`)).body.error).toBe("icon_not_found");
    });

    test("can be described anew by its publisher, without a new version", async () => {
      await publish("1.0.0", { description: "Old" });
      const change = { description: "New", author: "Ada", unknown: 1 };
      const { status, body } = await publisher.request("PUT", place(), { json: change });
      expect(status).toBe(200);
      expect(body).toMatchObject({ id, version: "1.0.0", description: "New", author: "Ada" });
      expect((await publisher.get(place())).body).toMatchObject({ description: "New", author: "Ada" });
      const found = await publisher.get(`/catalog?q=new&sort=-published_at&per_page=1`);
      expect(found.body.apps[0]).toEqual(body);
      await publisher.request("PUT", place(), { json: { author: "Bob" } });
      expect((await publisher.get(place())).body).toMatchObject({ description: "New", author: "Bob" });
    });

    // docs/spec/hub-api.md#display-name
    test("has the display name that its publisher sets, over new versions, until it is removed", async () => {
      const publisher = await HubPublisher.register(hub);
      const id = freshName();
      const change = (json: unknown) => publisher.request("PUT", `/catalog/${id}`, { json });
      const search = (q: string) => publisher.get(`/catalog?q=${encodeURIComponent(q)}`);
      await publisher.publish(await appPackage({ name: id }));
      const unique = freshName("Ünique ");
      expect((await change({ name: unique })).body).toMatchObject({ id, name: unique });
      await publisher.publish(await appPackage({ name: id, version: "2.0.0" }));
      expect((await search(unique.toUpperCase())).body.apps).toMatchObject([{ id, name: unique }]);
      expect((await publisher.get(`/catalog/${id}`)).body).toMatchObject({ id, name: unique });
      for (const name of ["x".repeat(65), "two\nlines", 7])
        expect((await change({ name })).body.error).toBe("bad_parameter");
      expect((await change({ name: "" })).body.name).toBe(id);
      expect((await search(unique)).body.total).toBe(0);
    });

    test("has the display name of its form", async () => {
      const publisher = await HubPublisher.register(hub);
      const id = freshName();
      const form = async (version: string, name: string) => {
        const file = await appPackage({ name: id, version });
        const form = publishForm(file, publisher.key.sign(file));
        form.set("name", name);
        return publisher.request("POST", "/catalog/publish", { form });
      };
      expect((await form("1.0.0", " Falling Blocks ")).body.name).toBe("Falling Blocks");
      expect((await form("2.0.0", "x".repeat(65))).body.error).toBe("bad_parameter");
      expect((await publisher.get(`/catalog/${id}`)).body).toMatchObject({
        name: "Falling Blocks",
        version: "1.0.0",
      });
    });

    test("is sorted by its display name", async () => {
      const publisher = await HubPublisher.register(hub);
      const author = freshName("author");
      const ids = ["c", "b", "a"].map((letter) => freshName(letter));
      for (const [index, id] of ids.entries()) {
        await publisher.publish(await appPackage({ name: id, author }));
        if (index < 2)
          await publisher.request("PUT", `/catalog/${id}`, { json: { name: ["B first", "Z last"][index] } });
      }
      const { body } = await publisher.get(`/catalog?q=${author}`);
      const [c, b, a] = ids;
      expect(body.apps.map(({ id }: CatalogEntry) => id)).toEqual([a, c, b]);
    });

    test("is described by its manifest again with the next version", async () => {
      await publish("1.0.0");
      await publisher.request("PUT", place(), { json: { description: "New" } });
      expect((await publish("1.0.1", { description: "Newest" })).entry.description).toBe("Newest");
    });

    const CHANGES = [
      { name: "a long description", json: { description: "x".repeat(129) }, code: "bad_parameter" },
      { name: "a long author", json: { author: "x".repeat(129) }, code: "bad_parameter" },
      { name: "a description that is not text", json: { description: 1 }, code: "bad_parameter" },
      { name: "a description of null", json: { description: null }, code: "bad_parameter" },
      { name: "an array", json: [], code: "bad_parameter" },
      { name: "no JSON", body: "{", code: "bad_json" },
    ];
    for (const { name: what, code, ...sent } of CHANGES)
      test(`keeps its description when ${what} is sent`, async () => {
        await publish("1.0.0", { description: "Old", author: "Ada" });
        const headers = { "content-type": "application/json" };
        const { status, body } = await publisher.request("PUT", place(), { ...sent, headers });
        expect([status, body.error]).toEqual([400, code]);
        expect((await publisher.get(place())).body).toMatchObject({ description: "Old", author: "Ada" });
      });

    test("accepts descriptions of 128 characters of several bytes each", async () => {
      await publish("1.0.0");
      const description = "🎮".repeat(128);
      const { status } = await publisher.request("PUT", place(), { json: { description } });
      expect(status).toBe(200);
      expect((await publisher.get(place())).body.description).toBe(description);
    });

    test("disappears when retracted: from the list, from its address, and its files", async () => {
      await publish("1.0.0", {}, { icon: bitmap() });
      const { status, bytes } = await publisher.request("DELETE", place());
      expect([status, bytes.length]).toEqual([204, 0]);
      for (const below of ["", "/download", "/download?version=1.0.0", "/icon"]) {
        const answer = await publisher.get(place() + below);
        expect([answer.status, answer.body.error]).toEqual([410, "app_retracted"]);
      }
      expect((await publisher.get(`/catalog?q=${id}`)).body.total).toBe(0);
      expect((await publisher.request("DELETE", place())).status).toBe(204);
      const change = await publisher.request("PUT", place(), { json: { description: "x" } });
      expect([change.status, change.body.error]).toEqual([410, "app_retracted"]);
    });

    test("returns only with a newer version", async () => {
      const { file } = await publish("1.0.0");
      await publisher.request("DELETE", place());
      expect((await publisher.publish(file)).body.error).toBe("version_exists");
      expect((await publisher.get(place())).status).toBe(410);
      await publish("1.0.1");
      expect((await publisher.get(place())).body.versions).toHaveLength(2);
      expect((await publisher.get(`/catalog?q=${id}`)).body.total).toBe(1);
    });

    test("belongs to its publisher, also when retracted", async () => {
      await publish("1.0.0");
      const other = await HubPublisher.register(hub);
      const newer = await appPackage({ name: id, version: "2.0.0" });
      const refused = async () => [
        await other.publish(newer),
        await other.request("PUT", place(), { json: { description: "Mine" } }),
        await other.request("DELETE", place()),
      ];
      for (const { status, body } of await refused())
        expect([status, body.error]).toEqual([403, "not_owner"]);
      await publisher.request("DELETE", place());
      for (const { status, body } of await refused())
        expect([status, body.error]).toEqual([403, "not_owner"]);
    });

    test("cannot be changed or retracted before it is published", async () => {
      for (const method of ["PUT", "DELETE"]) {
        const { status, body } = await publisher.request(
          method,
          place(),
          method === "PUT" ? { json: {} } : {},
        );
        expect([status, body.error]).toEqual([404, "app_not_found"]);
      }
    });
  });

describe("When the hub knows its public address", () => {
  let hub: HubUnderTest;
  beforeAll(async () => {
    const environment = { SVC_HUB_PUBLIC_URL: "https://hub.example/console/" };
    hub = await (HUBS[0] as (typeof HUBS)[0]).start({ environment });
  });
  afterAll(() => hub.stop());

  test("icons have addresses below it", async () => {
    const publisher = await HubPublisher.register(hub);
    const { body } = await publisher.publish(await appPackage({}, { icon: bitmap() }));
    expect(body.icon_url).toBe("https://hub.example/console/api/v1/catalog/tetris/icon");
  });

  test("the description names it as the server, also of what is outside of the API", async () => {
    const { body } = await request(hub.origin, "GET", "//openapi.json");
    const api = { url: "https://hub.example/console/api/v1" };
    expect(body.servers).toEqual([api]);
    expect(body.paths["/health/live"].servers).toEqual([api, { url: "https://hub.example/console" }]);
  });
});
