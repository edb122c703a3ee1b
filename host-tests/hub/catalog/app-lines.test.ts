/** The lines of an app's sources, and traps told by them (docs/spec/hub-api.md#app-lines). */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkPackage } from "../../../hub/packages/check-package.js";
import { writeTrapLines } from "../../../tools/trap-lines.js";
import { moduleOf } from "../../hosts/app-files.js";
import { imageOf, imagePackage } from "../../unit/services/apps/native-images.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { appPackage, freshName, HubPublisher, keptFiles } from "./hub-publisher.js";

const MIB = 1024 * 1024;
const LINES = [
  { offset: 0x20, file: "main.c", line: 10, name: "drop" },
  { offset: 0x24, file: "main.c", line: 12 },
];

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Lines of sources on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: HubPublisher;
    let id: string;
    let moduleSha256: string;

    beforeAll(async () => {
      hub = await start();
      publisher = await HubPublisher.register(hub);
    });
    afterAll(() => hub.stop());
    beforeEach(async () => {
      id = freshName();
      const file = await appPackage({ name: id });
      expect((await publisher.publish(file)).status).toBe(201);
      moduleSha256 = sha256((await checkPackage(file, 2 * MIB)).module as Uint8Array);
    });

    const linesOf = (owner: object = {}) =>
      writeTrapLines({ app: id, version: "1.0.0", moduleSha256, ...owner }, LINES);
    const put = (text: string, by = publisher) => {
      const form = new FormData();
      form.set("lines", new Blob([text]), "app.lines");
      return by.request("PUT", `/catalog/${id}/lines`, { form });
    };
    const tell = (message: string, more: object = {}, by = publisher) =>
      by.request("POST", `/catalog/${id}/trap`, { json: { message, ...more } });

    test("tell where a trap was, for a message and for a line of the log", async () => {
      const text = linesOf();
      expect(await put(text)).toMatchObject({
        status: 200,
        body: { version: "1.0.0", size_bytes: text.length },
      });
      const { body } = await tell(
        `12.345 E apps: "${id}" ended: trap: unreachable in drop@25 < drop < main@1`,
      );
      expect(body).toEqual({
        message: `12.345 E apps: "${id}" ended: trap: unreachable in drop (main.c:12) < drop (from main.c:10) < main`,
        stack: [
          { function: "drop", file: "main.c", line: 12 },
          { function: "drop", file: "main.c", line: 10, is_start: true },
          { function: "main" },
        ],
      });
      const message = `"${id}" ended: trap: unreachable in drop@20`;
      expect((await tell(message, { version: "1.0.0" })).body.stack).toHaveLength(1);
    });

    test("may be sent again, and stay with the file of the hub", async () => {
      await put(linesOf());
      const second = writeTrapLines({ app: id, version: "1.0.0", moduleSha256 }, LINES.slice(0, 1));
      expect((await put(second)).status).toBe(200);
      const { body } = await tell(`"${id}" ended: trap: unreachable in drop@25`);
      expect(body.stack).toEqual([{ function: "drop", file: "main.c", line: 10 }]);
      expect(keptFiles(hub).some((file) => file.includes(sha256(Buffer.from(second))))).toBe(true);
    });

    test("take the place of earlier ones, whose file is deleted", async () => {
      const before = keptFiles(hub).length;
      for (let line = 1; line <= 4; line++) {
        const text = writeTrapLines({ app: id, version: "1.0.0", moduleSha256 }, [
          { offset: 0x20, file: `${line}.c`, line },
        ]);
        expect((await put(text)).status).toBe(200);
      }
      expect(keptFiles(hub).length).toBeLessThanOrEqual(before + 1);
    });

    const REFUSED = [
      { name: "no lines", text: () => "{}", code: "lines_invalid" },
      { name: "those of another app", text: () => linesOf({ app: "other" }), code: "lines_invalid" },
      {
        name: "those of another module",
        text: () => linesOf({ moduleSha256: "0".repeat(64) }),
        code: "lines_invalid",
      },
      {
        name: "those of a version that there is not",
        text: () => linesOf({ version: "1.0.1" }),
        code: "version_not_found",
      },
      {
        name: "of too many pieces",
        text: () =>
          writeTrapLines(
            { app: id, version: "1.0.0", moduleSha256 },
            Array.from({ length: 50_001 }, (_, offset) => ({ offset, file: "main.c", line: 1 })),
          ),
        code: "lines_invalid",
      },
      { name: "too many bytes", text: () => linesOf() + " ".repeat(MIB / 2), code: "file_too_large" },
    ];
    test.each(REFUSED)("are refused if they are $name, and nothing is kept", async ({ text, code }) => {
      const before = keptFiles(hub);
      expect((await put(text())).body.error).toBe(code);
      expect(keptFiles(hub)).toEqual(before);
      expect((await tell(`"${id}" ended: trap: unreachable in drop@25`)).body.error).toBe("lines_not_found");
    });

    test("are refused for machine code alone, which has no module", async () => {
      id = freshName();
      const image = imagePackage(imageOf(await moduleOf('(module (func (export "main")))')), { name: id });
      expect((await publisher.publish(image)).status).toBe(201);
      const { body } = await put(linesOf());
      expect([body.error, body.message]).toEqual([
        "lines_invalid",
        expect.stringContaining("machine code alone"),
      ]);
      expect((await tell(`"${id}" ended: trap: unreachable in drop`)).body.error).toBe("lines_not_found");
    });

    test("tell nothing of another message, another app's trap and a long one", async () => {
      await put(linesOf());
      for (const message of ["hello", '"other" ended: trap: unreachable in drop@25', "a".repeat(1025)])
        expect((await tell(message)).body.error).toBe("bad_parameter");
    });

    test("are their publisher's alone", async () => {
      await put(linesOf());
      const other = await HubPublisher.register(hub);
      expect((await put(linesOf(), other)).body.error).toBe("not_owner");
      expect((await tell(`"${id}" ended: trap: x in drop@25`, {}, other)).body.error).toBe("not_owner");
    });
  });
