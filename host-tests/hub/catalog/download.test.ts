/**
 * Packages as consoles fetch them: whole, in parts, and on from where a download was cut
 * (docs/spec/hub-api.md#catalog-download).
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { rmSync, truncateSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withPublishers } from "../../../hub/operator.js";
import { Publisher } from "../../hosts/publisher.js";
import { EMBEDDED_HUB, HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { appPackage, freshName, HubPublisher } from "./hub-publisher.js";

const KIB = 1024;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

/** Whether a signature in hexadecimal over the file is of this key. */
const holds = (signature: string | null, file: Uint8Array, { pem }: Publisher) =>
  verify(null, sha256(file), createPublicKey(pem), Buffer.from(signature ?? "", "hex"));

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A download on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: HubPublisher;
    let file: Uint8Array;
    let id: string;
    let etag: string;
    const place = () => `/catalog/${id}/download`;
    const downloads = async () => (await publisher.get(`/catalog/${id}`)).body.downloads;

    beforeAll(async () => {
      hub = await start();
      publisher = await HubPublisher.register(hub);
    });
    afterAll(() => hub.stop());
    beforeEach(async () => {
      id = freshName();
      file = await appPackage({ name: id }, { noiseBytes: 4 * KIB });
      etag = `"${sha256(file).toString("hex")}"`;
      expect((await publisher.publish(file)).status).toBe(201);
    });

    test("is the exact package, with its signature", async () => {
      const { status, headers, bytes } = await publisher.get(place());
      expect(status).toBe(200);
      expect(bytes).toEqual(file);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-length": String(file.length),
        "content-type": "application/gzip",
        "content-disposition": `attachment; filename="${id}-1.0.0.svcpkg"`,
        "accept-ranges": "bytes",
        etag,
        "x-svc-signature": publisher.key.sign(file),
      });
      expect(headers.has("x-svc-publisher-signature")).toBe(false);
    });

    test("is of the newest version, or of the requested one", async () => {
      expect((await publisher.get(place())).bytes).toEqual(file);
      const newer = await appPackage({ name: id, version: "1.1.0" });
      await publisher.publish(newer);
      expect((await publisher.get(place())).bytes).toEqual(newer);
      expect((await publisher.get(`${place()}?version=1.0.0`)).bytes).toEqual(file);
      for (const missing of ["1.0.1", ""]) {
        const { status, body } = await publisher.get(`${place()}?version=${missing}`);
        expect([status, body.error]).toEqual([404, "version_not_found"]);
      }
    });

    test("is refused from the moment on at which the operator has withdrawn the package", async () => {
      const revoked = await HubPublisher.register(hub);
      const app = freshName();
      await revoked.publish(await appPackage({ name: app }));
      await revoked.publish(await appPackage({ name: app, version: "1.1.0" }));
      const versions = ["?version=1.0.0", "?version=1.1.0", ""];
      const answers = async () =>
        Promise.all(
          versions.map(async (query) => (await publisher.get(`/catalog/${app}/download${query}`)).status),
        );
      expect(await answers()).toEqual([200, 200, 200]);
      await withPublishers(hub.environment, (all) => all.revoke(revoked.name));
      expect(await answers()).toEqual([410, 410, 410]);
    });

    test("is refused once its publisher has retracted the app", async () => {
      expect((await publisher.get(place())).status).toBe(200);
      await publisher.request("DELETE", `/catalog/${id}`);
      expect((await publisher.get(place())).status).toBe(410);
    });

    test("is answered 304 for a client that has it", async () => {
      const { status, headers, bytes } = await publisher.get(place(), { "if-none-match": etag });
      expect([status, bytes.length, headers.get("etag")]).toEqual([304, 0, etag]);
      expect((await publisher.get(place(), { "if-none-match": '"x"' })).status).toBe(200);
    });

    test("answers HEAD with the fields of GET and no body", async () => {
      const { status, headers, bytes } = await publisher.request("HEAD", place());
      expect([status, bytes.length, headers.get("content-length")]).toEqual([200, 0, String(file.length)]);
      expect(headers.get("x-svc-signature")).toBe(publisher.key.sign(file));
      expect(await downloads()).toBe(0);
    });

    const RANGES: readonly (readonly [range: string, start: number, end?: number])[] = [
      ["bytes=0-0", 0, 1],
      ["bytes=1-10", 1, 11],
      ["bytes=100-", 100],
      ["bytes=-7", -7],
      ["bytes=10-999999", 10],
    ];
    for (const [range, first, end] of RANGES)
      test(`is partial for ${range}`, async () => {
        const { status, headers, bytes } = await publisher.get(place(), { range });
        const part = file.subarray(first, end);
        expect(bytes).toEqual(part);
        const from = first < 0 ? file.length + first : first;
        expect([status, headers.get("content-range"), headers.get("content-length")]).toEqual([
          206,
          `bytes ${from}-${from + part.length - 1}/${file.length}`,
          String(part.length),
        ]);
        expect(headers.get("x-svc-signature")).toBe(publisher.key.sign(file));
      });

    test("is range_not_satisfiable beyond its end, with its length", async () => {
      const { status, headers, body } = await publisher.get(place(), { range: `bytes=${file.length}-` });
      expect([status, body.error, headers.get("content-range")]).toEqual([
        416,
        "range_not_satisfiable",
        `bytes */${file.length}`,
      ]);
    });

    test("continues only if the file is still the same", async () => {
      const range = "bytes=100-";
      const same = await publisher.get(place(), { range, "if-range": etag });
      expect([same.status, same.bytes]).toEqual([206, file.subarray(100)]);
      const other = await publisher.get(place(), { range, "if-range": '"other"' });
      expect([other.status, other.bytes]).toEqual([200, file]);
    });

    test("is counted if it begins at the first byte", async () => {
      await publisher.get(place());
      await publisher.get(place(), { range: "bytes=0-9" });
      await publisher.get(place(), { range: "bytes=10-" });
      await publisher.get(place(), { "if-none-match": etag });
      await expect.poll(downloads).toBe(2);
    });

    test("is counted each time when many run at once", async () => {
      const answers = await Promise.all(Array.from({ length: 60 }, () => publisher.get(place())));
      expect(answers.every(({ bytes }) => Buffer.from(bytes).equals(file))).toBe(true);
      await expect.poll(downloads).toBe(60);
    });

    test("that is cut at every 64 KiB is complete in the end", async () => {
      const large = await appPackage({ name: id, version: "2.0.0" }, { noiseBytes: 640 * KIB });
      await publisher.publish(large);
      const parts: Uint8Array[] = [];
      let received = 0;
      let tag: string | undefined;
      while (received < large.length) {
        const cut = await downloadUntil(hub.origin, place(), publisher.token, 64 * KIB, received, tag);
        parts.push(cut.bytes);
        received += cut.bytes.length;
        tag = cut.etag;
      }
      expect(parts.length).toBeGreaterThanOrEqual(10);
      expect(Buffer.concat(parts)).toEqual(Buffer.from(large));
      await expect.poll(downloads).toBe(1);
    });

    test("of a file that is damaged in the store is file_damaged, without the file", async () => {
      const stored = path.join(hub.storagePath, "files", sha256(file).toString("hex"));
      truncateSync(stored, 100);
      expect(await publisher.get(place())).toMatchObject({ status: 500, body: { error: "file_damaged" } });
      rmSync(stored);
      expect(await publisher.get(place())).toMatchObject({ status: 500, body: { error: "file_damaged" } });
    });
  });

describe("If the hub has its own key, a download", () => {
  let hub: HubUnderTest;
  let publisher: HubPublisher;
  const own = new Publisher();
  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_ED25519_PRIVATE_KEY: own.privatePem } });
    publisher = await HubPublisher.register(hub);
  });
  afterAll(() => hub.stop());

  test("is signed by it, with the publisher's signature in another field", async () => {
    const file = await appPackage();
    expect((await publisher.publish(file)).status).toBe(201);
    const { headers, bytes } = await publisher.get("/catalog/tetris/download");
    expect(bytes).toEqual(file);
    expect(holds(headers.get("x-svc-signature"), file, own)).toBe(true);
    expect(holds(headers.get("x-svc-publisher-signature"), file, publisher.key)).toBe(true);
    const part = await publisher.get("/catalog/tetris/download", { range: "bytes=1-" });
    expect(part.headers.get("x-svc-signature")).toBe(headers.get("x-svc-signature"));
  });
});

interface CutDownload {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** Asks for the rest from `received` on, and breaks off once `limitBytes` of it have come. */
function downloadUntil(
  origin: string,
  place: string,
  token: string,
  limitBytes: number,
  received: number,
  etag: string | undefined,
): Promise<CutDownload> {
  const { hostname, port } = new URL(origin);
  const conditions = etag === undefined ? "" : `range: bytes=${received}-\r\nif-range: ${etag}\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET /api/v1${place} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\n` +
          `connection: close\r\n${conditions}\r\n`,
      ),
    );
    let answer = Buffer.alloc(0);
    const finish = () => {
      socket.destroy();
      const end = answer.indexOf("\r\n\r\n");
      const head = answer.subarray(0, end).toString();
      expect(head).toMatch(etag === undefined ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 206 /);
      const bytes = Uint8Array.from(answer.subarray(end + 4, end + 4 + limitBytes));
      resolve({ bytes, etag: /^etag: (.*)$/im.exec(head)?.[1] ?? "" });
    };
    socket.on("data", (chunk) => {
      answer = Buffer.concat([answer, chunk]);
      const end = answer.indexOf("\r\n\r\n");
      if (end >= 0 && answer.length - end - 4 >= limitBytes) finish();
    });
    socket.on("end", finish);
    socket.on("error", reject);
  });
}
