/** What a publisher tells of an app beside its package (docs/spec/hub-api.md#app-page). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { appPackage, freshName, HubPublisher, keptFiles } from "../catalog/hub-publisher.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { screenshotsForm, smallPng } from "./screenshots.js";

const EMPTY = { about: "", category: "", homepage_url: "", source_url: "", screenshots: [], changelogs: [] };

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The page of an app on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: HubPublisher;
    let id: string;
    const publish = async (version = "1.0.0") =>
      expect((await publisher.publish(await appPackage({ name: id, version }))).status).toBe(201);
    const put = (json: object) => publisher.request("PUT", `/catalog/${id}/page`, { json });
    const page = async () => (await publisher.get(`/catalog/${id}/page`)).body;
    const putScreenshots = (...files: readonly Uint8Array[]) =>
      publisher.request("PUT", `/catalog/${id}/screenshots`, { form: screenshotsForm(files) });

    beforeAll(async () => {
      hub = await start();
      publisher = await HubPublisher.register(hub);
    });
    afterAll(() => hub.stop());
    beforeEach(async () => {
      id = freshName();
      await publish();
    });

    test("is empty at first, and has what its publisher gives", async () => {
      expect(await page()).toEqual(EMPTY);
      const given = {
        about: "# Blocks\n\nthat *fall*",
        category: "games",
        homepage_url: "https://example.org/blocks",
        source_url: "https://example.org/code?x=1#y",
      };
      const { status, body } = await put({ ...given, changelog: "- First" });
      expect([status, body]).toEqual([
        200,
        { ...EMPTY, ...given, changelogs: [{ version: "1.0.0", changelog: "- First" }] },
      ]);
      expect(await page()).toEqual(body);
      await put({ category: "", homepage_url: "" }); // what is left out stays
      expect(await page()).toEqual({ ...body, category: "", homepage_url: "" });
    });

    test("has a changelog for each version, newest first, which stays with the version", async () => {
      await put({ changelog: "one" });
      await publish("1.1.0");
      expect(await page()).toMatchObject({ changelogs: [{ version: "1.0.0", changelog: "one" }] });
      await put({ changelog: "two" });
      await put({ changelog: "one, corrected", version: "1.0.0" });
      expect((await page()).changelogs).toEqual([
        { version: "1.1.0", changelog: "two" },
        { version: "1.0.0", changelog: "one, corrected" },
      ]);
      const unknown = await put({ changelog: "three", version: "3.0.0" });
      expect([unknown.status, unknown.body.error]).toEqual([404, "version_not_found"]);
    });

    const REFUSED: readonly (readonly [name: string, change: object])[] = [
      ["a text over 16 KiB", { about: "ä".repeat(8193) }],
      ["a text with control characters", { about: "a\u0007" }],
      ["a text with NUL", { about: "a\u0000" }],
      ["a changelog over 4 KiB", { changelog: "x".repeat(4097) }],
      ["an unknown category", { category: "toys" }],
      ["an address without TLS", { homepage_url: "http://example.org" }],
      ["a script as an address", { source_url: "javascript:alert(1)" }],
      ["an address with a password", { homepage_url: "https://user:pass@example.org" }],
      ["an address with a line break", { homepage_url: "https://example.org/\nx" }],
      ["a text for an address", { homepage_url: "example" }],
      ["an address that is too long", { homepage_url: `https://example.org/${"x".repeat(256)}` }],
      ["a number for a text", { about: 1 }],
    ];
    for (const [what, change] of REFUSED)
      test(`refuses ${what}, and changes nothing`, async () => {
        await put({ about: "before", category: "games" });
        const before = await page();
        const { status, body } = await put({ category: "tools", ...change });
        expect([status, body.error]).toEqual([400, "bad_parameter"]);
        expect(await page()).toEqual(before);
      });

    test("accepts the longest texts, in whatever way JSON writes them", async () => {
      const about = "ä".repeat(8192);
      const escaped = `{"about":"${"\\u00e4".repeat(8192)}","changelog":"${"\\n".repeat(4096)}"}`;
      const { status } = await publisher.request("PUT", `/catalog/${id}/page`, {
        body: escaped,
        headers: { "content-type": "application/json" },
      });
      expect(status).toBe(200);
      expect((await page()).about).toBe(about);
    });

    test("has screenshots, in their order, and stores them once", async () => {
      const pictures = [smallPng(32, 24, 1), smallPng(64, 48, 2), smallPng(8, 8, 3)];
      const { status, body } = await putScreenshots(...pictures);
      expect(status).toBe(200);
      expect(body.screenshots).toEqual(
        [
          { width: 32, height: 24 },
          { width: 64, height: 48 },
          { width: 8, height: 8 },
        ].map((size, index) => ({
          url: expect.stringMatching(new RegExp(`/api/v1/catalog/${id}/screenshots/${index + 1}$`)),
          ...size,
        })),
      );
      for (const [index, picture] of pictures.entries()) {
        const { headers, bytes } = await publisher.get(`/catalog/${id}/screenshots/${index + 1}`);
        expect(headers.get("content-type")).toBe("image/png");
        expect(Buffer.from(bytes).equals(picture)).toBe(true);
      }
      const absent = await publisher.get(`/catalog/${id}/screenshots/4`);
      expect([absent.status, absent.body.error]).toEqual([404, "picture_not_found"]);
    });

    test("replaces screenshots as a whole, and deletes the files that nothing names", async () => {
      const files = keptFiles(hub);
      const shared = smallPng(20, 20, 77);
      await putScreenshots(shared, smallPng(21, 20, 78));
      await putScreenshots(shared);
      expect((await page()).screenshots).toHaveLength(1);
      expect(keptFiles(hub)).toHaveLength(files.length + 1);
      expect((await publisher.request("DELETE", `/catalog/${id}/screenshots`)).status).toBe(204);
      expect((await page()).screenshots).toEqual([]);
      expect(keptFiles(hub)).toEqual(files);
    });

    test("refuses bad pictures, too many, and too large ones, and keeps the former", async () => {
      await putScreenshots(smallPng());
      const before = await page();
      const files = keptFiles(hub);
      const good = smallPng(9, 9);
      const cut = good.subarray(0, good.length - 20);
      for (const [sent, code] of [
        [
          [good, cut],
          [422, "picture_invalid"],
        ],
        [[new Uint8Array(Buffer.from("GIF89a"))], [422, "picture_invalid"]],
        [Array.from({ length: 7 }, () => good), [400, "multipart_invalid"]],
        [[new Uint8Array(512 * 1024 + 1)], [413, "file_too_large"]],
        [[], [400, "multipart_invalid"]],
      ] as const) {
        const { status, body } = await putScreenshots(...sent);
        expect([status, body.error]).toEqual(code);
      }
      expect(await page()).toEqual(before);
      expect(keptFiles(hub)).toEqual(files);
    });

    test("belongs to its publisher, and goes with the app", async () => {
      await put({ about: "mine" });
      await putScreenshots(smallPng());
      const other = await HubPublisher.register(hub);
      const theirs = [
        await other.request("PUT", `/catalog/${id}/page`, { json: { about: "theirs" } }),
        await other.request("PUT", `/catalog/${id}/screenshots`, { form: screenshotsForm([smallPng()]) }),
        await other.request("DELETE", `/catalog/${id}/screenshots`),
      ];
      for (const { status, body } of theirs) expect([status, body.error]).toEqual([403, "not_owner"]);
      expect((await page()).about).toBe("mine");
      await publisher.request("DELETE", `/catalog/${id}`);
      const gone = [
        await publisher.get(`/catalog/${id}/page`),
        await publisher.get(`/catalog/${id}/screenshots/1`),
        await put({ about: "again" }),
        await putScreenshots(smallPng()),
      ];
      for (const { status, body } of gone) expect([status, body.error]).toEqual([410, "app_retracted"]);
    });

    test("needs a token like the rest of the catalogue, unless that is public", async () => {
      for (const below of ["page", "screenshots/1"])
        expect((await request(hub.origin, "GET", `/catalog/${id}/${below}`)).status).toBe(401);
    });
  });
