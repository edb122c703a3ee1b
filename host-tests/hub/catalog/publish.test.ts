/**
 * Uploads: what becomes an app of the catalogue, and what is refused, of which nothing is left
 * (docs/spec/hub-api.md#publish).
 */
import { spawnSync } from "node:child_process";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withPublishers } from "../../../hub/operator.js";
import { writePackage } from "../../../protocol/package/package-writer.js";
import { manifestOf, moduleOf } from "../../hosts/app-files.js";
import { bitmap } from "../../hosts/bitmap.js";
import { Publisher } from "../../hosts/publisher.js";
import { REFUSED_PACKAGES } from "../../hosts/refused-packages.js";
import { imageOf, imagePackage } from "../../unit/services/apps/native-images.js";
import { EMBEDDED_HUB, HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import type { Answer } from "../hosts/request.js";
import { appPackage, freshName, HubPublisher, keptFiles, publishForm } from "./hub-publisher.js";

const MIB = 1024 * 1024;

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Publishing on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: HubPublisher;
    let id: string;

    beforeAll(async () => {
      hub = await start();
      publisher = await HubPublisher.register(hub);
    });
    afterAll(() => hub.stop());
    beforeEach(() => {
      id = freshName();
    });

    /** Sends a form, and expects a refusal that leaves nothing in the store or the list. */
    const expectRefused = async (form: FormData, status: number, code: string) => {
      const before = keptFiles(hub);
      const { total } = (await publisher.get("/catalog")).body;
      const answer = await publisher.request("POST", "/catalog/publish", { form });
      expect([answer.status, answer.body.error]).toEqual([status, code]);
      expect(answer.body.message).not.toBe("");
      expect(keptFiles(hub)).toEqual(before);
      expect((await publisher.get("/catalog")).body.total).toBe(total);
      return answer;
    };

    test("answers 201 with the entry and its address", async () => {
      const file = await appPackage({ name: id, description: "Blocks" }, { icon: bitmap({ shade: 7 }) });
      const { status, headers, body } = await publisher.publish(file);
      expect(status).toBe(201);
      const place = headers.get("location") as string;
      expect(place).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/api/v1/catalog/${id}$`));
      expect(body).toEqual({
        id,
        name: id,
        version: "1.0.0",
        description: "Blocks",
        author: publisher.name,
        size_bytes: file.length,
        icon_url: `${place}/icon`,
        published_at: expect.any(String),
      });
      expect(new Date(body.published_at).toISOString()).toBe(body.published_at);
    });

    // docs/spec/app-packages.md#app-name
    test("takes names that differ only in case for one, which belongs to its first publisher", async () => {
      await publisher.publish(await appPackage({ name: id }));
      const other = await HubPublisher.register(hub);
      const taken = await other.publish(await appPackage({ name: id.toUpperCase(), version: "2.0.0" }));
      expect([taken.status, taken.body.error]).toEqual([403, "not_owner"]);
      const next = await publisher.publish(await appPackage({ name: id.toUpperCase(), version: "1.1.0" }));
      expect([next.status, next.body.id, next.body.version]).toEqual([201, id, "1.1.0"]);
      const older = await publisher.publish(await appPackage({ name: id.toUpperCase() }));
      expect([older.status, older.body.error]).toEqual([409, "version_exists"]);
      const { body } = await publisher.get(`/catalog/${id.toUpperCase()}`);
      expect([body.id, body.versions.length]).toEqual([id, 2]);
      expect((await publisher.get(`/catalog/${id.toUpperCase()}/download`)).status).toBe(200);
    });

    test.each(["app.", "nul", "com1.x"])(
      "rejects %j, which is no name on every file system",
      async (name) => {
        const { status, body } = await publisher.publish(await appPackage({ name }));
        expect([status, body.error, body.field]).toEqual([422, "manifest_invalid", "name"]);
      },
    );

    test("accepts the parts of the form in any order, and ignores others", async () => {
      const file = await appPackage({ name: id });
      const form = new FormData();
      form.set("comment", "hello");
      form.set("package", new Blob([file]), "app.svcpkg");
      form.set("picture", new Blob([new Uint8Array(1000)]), "picture.png");
      form.set("signature", `${publisher.key.sign(file).toUpperCase()}\n`);
      expect((await publisher.request("POST", "/catalog/publish", { form })).status).toBe(201);
      const { headers } = await publisher.get(`/catalog/${id}/download`);
      expect(headers.get("x-svc-signature")).toBe(publisher.key.sign(file));
    });

    // docs/spec/aot.md#alone
    test("accepts machine code alone, and the catalogue tells for which consoles it is", async () => {
      const module = await moduleOf('(module (memory 1) (func (export "main")))');
      const file = imagePackage(imageOf(module), { name: id });
      expect(await publisher.publish(file)).toMatchObject({ status: 201, body: { id, version: "1.0.0" } });
      const { bytes } = await publisher.get(`/catalog/${id}/download`);
      expect(Buffer.from(bytes)).toEqual(Buffer.from(file));
      const forRv32 = imagePackage(imageOf(module, { machine: "riscv32" }), {
        name: id,
        version: "1.1.0",
        target_arch: "rv32",
      });
      expect((await publisher.publish(forRv32)).status).toBe(201);
      expect((await publisher.publish(await appPackage({ name: id, version: "1.2.0" }))).status).toBe(201);
      const { body } = await publisher.get(`/catalog/${id}`);
      expect(body.versions).toMatchObject([
        { version: "1.2.0", target_arch: "generic" },
        { version: "1.1.0", target_arch: "rv32" },
        { version: "1.0.0", target_arch: "native" },
      ]);
    });

    test("works with curl", async () => {
      const file = await appPackage({ name: id });
      const arguments_ = ["-sS", "-F", "package=@-;filename=app.svcpkg", "-F"];
      const { stdout } = spawnSync(
        "curl",
        [
          ...arguments_,
          `signature=${publisher.key.sign(file)}`,
          ...["-H", `Authorization: Bearer ${publisher.token}`, `${hub.origin}/api/v1/catalog/publish`],
        ],
        { input: file, encoding: "utf8" },
      );
      expect(JSON.parse(stdout)).toMatchObject({ id, version: "1.0.0" });
    });

    test("accepts any key of the publisher that is not revoked", async () => {
      const second = new Publisher();
      const file = await appPackage({ name: id });
      const form = () => publishForm(file, second.sign(file));
      await expectRefused(form(), 403, "signature_invalid");
      const key = await withPublishers(hub.environment, (publishers) =>
        publishers.keys.add(publisher.name, second.pem),
      );
      expect((await publisher.request("POST", "/catalog/publish", { form: form() })).status).toBe(201);
      await withPublishers(hub.environment, (publishers) =>
        publishers.keys.revoke(publisher.name, key.key_id),
      );
      const newer = await appPackage({ name: id, version: "2.0.0" });
      await expectRefused(publishForm(newer, second.sign(newer)), 403, "signature_invalid");
    });

    test("is not possible for a revoked publisher, whose apps are withdrawn", async () => {
      const revoked = await HubPublisher.register(hub);
      await revoked.publish(await appPackage({ name: id }));
      await withPublishers(hub.environment, (publishers) => publishers.revoke(revoked.name));
      const refused = await revoked.publish(await appPackage({ name: id, version: "2.0.0" }));
      expect([refused.status, refused.body.error]).toEqual([401, "unauthorized"]);
      expect((await publisher.get(`/catalog/${id}`)).body.error).toBe("app_retracted");
    });

    test("needs a newer version", async () => {
      await publisher.publish(await appPackage({ name: id, version: "1.9.0" }));
      const refused = async (version: string) => {
        const file = await appPackage({ name: id, version });
        return publishForm(file, publisher.key.sign(file));
      };
      await expectRefused(await refused("1.9.0"), 409, "version_exists");
      await expectRefused(await refused("1.8.9"), 409, "version_not_newer");
      expect((await publisher.publish(await appPackage({ name: id, version: "1.10.0" }))).status).toBe(201);
    });

    test("under a name of another publisher is not_owner, and stores nothing", async () => {
      const other = await HubPublisher.register(hub);
      await other.publish(await appPackage({ name: id }));
      const file = await appPackage({ name: id, version: "2.0.0" }, { icon: bitmap({ shade: 99 }) });
      await expectRefused(publishForm(file, publisher.key.sign(file)), 403, "not_owner");
    });

    test("a newer version is also possible by PUT with a form", async () => {
      await publisher.publish(await appPackage({ name: id }));
      const put = async (fields: Parameters<typeof appPackage>[0]) => {
        const file = await appPackage(fields);
        const form = publishForm(file, publisher.key.sign(file));
        return publisher.request("PUT", `/catalog/${id}`, { form });
      };
      expect(await put({ name: id, version: "1.0.1" })).toMatchObject({
        status: 200,
        body: { version: "1.0.1" },
      });
      expect(await put({ name: id, version: "1.0.1" })).toMatchObject({ body: { error: "version_exists" } });
      expect(await put({ name: freshName(), version: "1.0.2" })).toMatchObject({
        status: 422,
        body: { error: "manifest_invalid", field: "name" },
      });
    });

    const FORMS: readonly {
      readonly name: string;
      readonly form: (file: Uint8Array, signature: string) => FormData;
      readonly status: number;
      readonly code: string;
    }[] = [
      {
        name: "without a package",
        form: (_file, signature) => publishForm(undefined, signature),
        status: 400,
        code: "multipart_invalid",
      },
      {
        name: "with two packages",
        form: (file, signature) => {
          const form = publishForm(file, signature);
          form.append("package", new Blob([file]), "again.svcpkg");
          return form;
        },
        status: 400,
        code: "multipart_invalid",
      },
      {
        name: "with two signatures",
        form: (file, signature) => {
          const form = publishForm(file, signature);
          form.append("signature", signature);
          return form;
        },
        status: 400,
        code: "multipart_invalid",
      },
      {
        name: "with its package as text",
        form: (_file, signature) => {
          const form = publishForm(undefined, signature);
          form.set("package", "H4sI");
          return form;
        },
        status: 400,
        code: "multipart_invalid",
      },
      {
        name: "without a signature",
        form: (file) => publishForm(file, undefined),
        status: 403,
        code: "signature_missing",
      },
      {
        name: "with an empty signature",
        form: (file) => publishForm(file, ""),
        status: 403,
        code: "signature_missing",
      },
      {
        name: "with a signature that is invalid",
        form: (file) => publishForm(file, "x".repeat(128)),
        status: 403,
        code: "signature_invalid",
      },
      {
        name: "with a stranger's signature",
        form: (file) => publishForm(file, new Publisher().sign(file)),
        status: 403,
        code: "signature_invalid",
      },
      {
        name: "with a signature of other bytes",
        form: (file, signature) => publishForm(file.slice(0, -1), signature),
        status: 403,
        code: "signature_invalid",
      },
      {
        name: "with an empty file",
        form: (_file, signature) => publishForm(new Uint8Array(0), signature),
        status: 415,
        code: "media_type_unsupported",
      },
    ];
    for (const { name: what, form, status, code } of FORMS)
      test(`rejects a form ${what} as ${code}`, async () => {
        const file = await appPackage({ name: id });
        await expectRefused(form(file, publisher.key.sign(file)), status, code);
      });

    const BODIES = [
      { name: "no body", body: "", type: undefined, status: 415, code: "media_type_unsupported" },
      { name: "JSON", body: "{}", type: "application/json", status: 415, code: "media_type_unsupported" },
      {
        name: "a form of the other kind",
        body: "package=x",
        type: "application/x-www-form-urlencoded",
        status: 415,
        code: "media_type_unsupported",
      },
      {
        name: "a form without a boundary",
        body: "--x\r\n",
        type: "multipart/form-data",
        status: 400,
        code: "multipart_invalid",
      },
      {
        name: "a form that ends early",
        body: '--x\r\ncontent-disposition: form-data; name="package"; filename="a"\r\n\r\nabc',
        type: "multipart/form-data; boundary=x",
        status: 400,
        code: "multipart_invalid",
      },
      {
        name: "an empty form",
        body: "--x--\r\n",
        type: "multipart/form-data; boundary=x",
        status: 400,
        code: "multipart_invalid",
      },
    ];
    for (const { name: what, body, type, status, code } of BODIES)
      test(`rejects ${what} as ${code}`, async () => {
        const headers = type === undefined ? {} : { "content-type": type };
        const answer = await publisher.request("POST", "/catalog/publish", { body, headers });
        expect([answer.status, answer.body.error]).toEqual([status, code]);
      });

    test("accepts a package of exactly 8 MiB and rejects one byte more", async () => {
      const file = await appPackage({ name: id });
      const longer = (byteLength: number) => {
        const padded = new Uint8Array(byteLength);
        padded.set(file);
        return padded;
      };
      const refused = (bytes: Uint8Array) => publishForm(bytes, publisher.key.sign(bytes));
      await expectRefused(refused(longer(8 * MIB)), 422, "package_invalid"); // for the bytes behind its end
      await expectRefused(refused(longer(8 * MIB + 1)), 413, "package_too_large");
    });

    test("rejects a package that unpacks to more than 8 MiB", async () => {
      const module = await moduleOf('(module (func (export "main")))');
      const manifest = new TextEncoder().encode(JSON.stringify(manifestOf({ name: id })));
      const variant = new Uint8Array(8 * MIB);
      variant.set(new TextEncoder().encode("\0aot"));
      const file = writePackage({ module, manifest, variants: { native: variant } });
      await expectRefused(publishForm(file, publisher.key.sign(file)), 413, "package_too_large");
    });

    test("rejects a bad icon", async () => {
      const file = await appPackage({ name: id }, { icon: bitmap({ width: 16, height: 16 }) });
      await expectRefused(publishForm(file, publisher.key.sign(file)), 422, "icon_invalid");
    });

    test("rejects each package that a console rejects, with the same code, and stores nothing of it", async () => {
      for (const { name: what, file, code, details } of REFUSED_PACKAGES) {
        const bytes = await file();
        const before = keptFiles(hub);
        const { body } = await publisher.publish(bytes);
        expect(body, what).toMatchObject({ error: code, ...details });
        expect(keptFiles(hub)).toEqual(before);
      }
    });

    const codes = (answers: readonly Answer[]) =>
      answers.map(({ status, body }) => body.error ?? String(status)).sort();

    test("by two publishers under one name at once succeeds for one, and stores nothing of the other", async () => {
      for (let round = 0; round < 5; round++) {
        const other = await HubPublisher.register(hub);
        const name = freshName();
        const before = keptFiles(hub).length;
        const answers = await Promise.all(
          [publisher, other].map(async (one, shade) =>
            one.publish(
              await appPackage({ name, author: one.name }, { icon: bitmap({ shade: 8 * round + shade }) }),
            ),
          ),
        );
        expect(codes(answers)).toEqual(["201", "not_owner"]);
        expect(keptFiles(hub)).toHaveLength(before + 2);
      }
    });

    test("of one version several times at once succeeds for one, and stores nothing of the others", async () => {
      await publisher.publish(await appPackage({ name: id }));
      const before = keptFiles(hub).length;
      const answers = await Promise.all(
        ["Ada", "Bob", "Eve"].map(async (author, index) => {
          const file = await appPackage({ name: id, version: "1.0.1", author });
          return publisher.publish(file, hub.origins[index % hub.origins.length]);
        }),
      );
      expect(codes(answers)).toEqual(["201", "version_exists", "version_exists"]);
      expect(keptFiles(hub)).toHaveLength(before + 1);
      expect((await publisher.get(`/catalog/${id}`)).body.versions).toHaveLength(2);
    });

    test("of rising versions at once rejects those that came too late, and lists the newest", async () => {
      const versions = ["1.0.0", "1.0.1", "1.0.2", "1.0.3"];
      const answers = await Promise.all(
        versions.map(async (version, index) =>
          publisher.publish(await appPackage({ name: id, version }), hub.origins[index % hub.origins.length]),
        ),
      );
      const taken = versions.filter((_version, index) => answers[index]?.status === 201);
      expect(taken).toContain("1.0.3");
      const { body } = await publisher.get(`/catalog/${id}`);
      expect(body.version).toBe("1.0.3");
      expect(body.versions.map(({ version }: { version: string }) => version).reverse()).toEqual(taken);
    });

    test("of the same bytes by two publishers keeps the winner's file whole", async () => {
      const other = await HubPublisher.register(hub);
      const file = await appPackage({ name: id });
      const answers = await Promise.all([publisher.publish(file), other.publish(file)]);
      expect(codes(answers)).toEqual(["201", "not_owner"]);
      expect((await publisher.get(`/catalog/${id}/download`)).bytes).toEqual(file);
    });

    test("accepts many small packages at once", async () => {
      const files = await Promise.all(
        Array.from({ length: 8 }, () => appPackage({ name: freshName() }, { noiseBytes: 400_000 })),
      );
      const answers = await Promise.all(files.map((file) => publisher.publish(file, hub.origins[0])));
      expect(codes(answers)).toEqual(Array(8).fill("201"));
    });

    test("stores nothing of clients that disconnect in the middle, and frees their places", async () => {
      const [origin = ""] = hub.origins;
      const other = await HubPublisher.register(hub);
      const before = keptFiles(hub);
      // More than the publisher may send and queue at once: one of them is rejected.
      const open = await Promise.all(Array.from({ length: 65 }, () => beginUpload(origin, publisher.token)));
      const refused = await Promise.race(open.map(({ answered }) => answered));
      expect(refused.statusCode).toBe(503);
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
      expect(await other.publish(await appPackage({ name: freshName() }), origin)).toMatchObject({
        status: 201,
      });
      for (const { upload } of open) upload.destroy();
      const file = await appPackage({ name: id });
      await expect.poll(async () => (await publisher.publish(file, origin)).status).toBe(201);
      expect(keptFiles(hub)).toHaveLength(before.length + 2);
    });
  });

describe("A hub that is receiving", () => {
  let hub: HubUnderTest;
  let publisher: HubPublisher;
  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_MAX_PACKAGE_BYTES: "5000" } });
    publisher = await HubPublisher.register(hub);
  });
  afterAll(() => hub.stop());

  test("applies the size limit that its operator has set", async () => {
    const file = await appPackage({ name: "large" }, { noiseBytes: 6000 });
    expect(await publisher.publish(file)).toMatchObject({
      status: 413,
      body: { error: "package_too_large" },
    });
  });
});

/** Begins an upload that stops in the middle, and settles once the hub has asked for its body. */
async function beginUpload(origin: string, token: string) {
  const upload = httpRequest(`${origin}/api/v1/catalog/publish`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "multipart/form-data; boundary=x",
      "content-length": "1000",
      expect: "100-continue",
    },
  });
  upload.on("error", () => {}); // it is broken off
  const answered = new Promise<IncomingMessage>((resolve) => upload.once("response", resolve));
  upload.flushHeaders();
  await new Promise((resolve) => upload.once("continue", resolve));
  upload.write('--x\r\ncontent-disposition: form-data; name="package"; filename="a"\r\n\r\nabc');
  return { upload, answered };
}
