/** Firmware that a hub offers (docs/spec/hub-api.md#firmware). */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, rename } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, onTestFinished, test } from "vitest";
import { withPublishers } from "../../../hub/operator.js";
import { flipped, readBundle, refusal } from "../../unit/protocol/firmware/bundling.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel } from "../push/channel.js";
import { newAccount, registerDevice } from "../rollouts/fleet.js";
import {
  bring,
  bundleOf,
  espImage,
  FOREIGNER,
  formOf,
  nativeBundle,
  newHubKey,
  newPublisher,
  simulatorImage,
  type TestPublisher,
  xtensaBundle,
} from "./bringing.js";

const SHA256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const SIGNATURE = (bundle: Uint8Array) => Buffer.from(bundle.subarray(6, 70)).toString("hex");
const LIMIT_BYTES = 64 * 1024;

async function filesOf(hub: HubUnderTest): Promise<readonly string[]> {
  return (await readdir(path.join(hub.storagePath, "files"))).sort();
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Firmware on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: TestPublisher;
    let account: string;
    const first = () => nativeBundle("1.0.0", publisher, 5000);

    beforeAll(async () => {
      hub = await start({ environment: { SVC_HUB_MAX_FIRMWARE_BYTES: `${LIMIT_BYTES}` } });
      publisher = await newPublisher(hub);
      account = await newAccount(hub);
    });
    afterAll(() => hub?.stop());

    test("does not exist before it is published", async () => {
      const { status, body } = await request(hub.origin, "GET", "/firmware/latest?arch=native", {
        token: account,
      });
      assert.deepEqual([status, body.error], [404, "firmware_not_found"]);
      const unnamed = await request(hub.origin, "GET", "/firmware/latest", { token: account });
      assert.deepEqual([unnamed.status, unnamed.body.error], [404, "firmware_not_found"]);
    });

    test("is accepted from a publisher, with its description in the answer", async () => {
      const bundle = first();
      const fields = { version: "1.0.0", arch: "native", notes: "The first one.\nIt blinks." };
      const { status, body } = await bring(hub, publisher, bundle, fields);
      assert.equal(status, 201);
      const { download_url, published_at, ...others } = body;
      assert.deepEqual(others, {
        ...fields,
        size_bytes: bundle.length,
        sha256: SHA256(bundle),
        signature: SIGNATURE(bundle),
      });
      assert.equal(new Date(published_at).toISOString(), published_at);
      assert.match(
        download_url,
        /^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/firmware\/1\.0\.0\/download\?arch=native$/,
      );
    });

    test("has the same description from every process, for an account, a publisher and a device", async () => {
      const device = await registerDevice(hub);
      for (const token of [account, publisher.token, device.token])
        for (const origin of hub.origins) {
          const { status, body } = await request(origin, "GET", "/firmware/latest?arch=native", { token });
          assert.deepEqual([status, body.version, body.sha256], [200, "1.0.0", SHA256(first())]);
          assert.ok(body.download_url.startsWith(origin), "the address is the one that was asked");
        }
    });

    test("is downloaded whole, with its signature and a strong tag", async () => {
      const bundle = first();
      const { status, bytes, headers } = await request(
        hub.origin,
        "GET",
        "/firmware/1.0.0/download?arch=native",
        {
          token: account,
        },
      );
      assert.equal(status, 200);
      assert.deepEqual(bytes, bundle);
      assert.equal(headers.get("etag"), `"${SHA256(bundle)}"`);
      assert.equal(headers.get("x-svc-signature"), SIGNATURE(bundle));
      assert.equal(headers.get("x-svc-publisher-signature"), null);
      assert.equal(headers.get("accept-ranges"), "bytes");
      assert.equal(headers.get("cache-control"), "private, no-cache");
      assert.equal(headers.get("content-length"), `${bundle.length}`);
      assert.equal(headers.get("content-type"), "application/octet-stream");
    });

    test("is downloaded by another process from where a download was cut", async () => {
      const bundle = first();
      for (const at of [1, 6, 69, 70, 78, 79, 4096, bundle.length - 1]) {
        const { status, bytes, headers } = await request(hub.origin, "GET", "/firmware/1.0.0/download", {
          token: account,
          headers: { range: `bytes=${at}-`, "if-range": `"${SHA256(bundle)}"` },
        });
        assert.equal(status, 206);
        assert.equal(headers.get("content-range"), `bytes ${at}-${bundle.length - 1}/${bundle.length}`);
        assert.deepEqual(bytes, bundle.subarray(at));
      }
    });

    test("is downloaded from its beginning if it differs from the partial one", async () => {
      const headers = { range: "bytes=100-", "if-range": `"${"0".repeat(64)}"` };
      const answer = await request(hub.origin, "GET", "/firmware/1.0.0/download", {
        token: account,
        headers,
      });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.bytes, first());
    });

    test("is not sent again to a client that has it, nor beyond its end", async () => {
      const unchanged = await request(hub.origin, "GET", "/firmware/1.0.0/download", {
        token: account,
        headers: { "if-none-match": `"${SHA256(first())}"` },
      });
      assert.deepEqual([unchanged.status, unchanged.bytes.length], [304, 0]);
      const beyond = await request(hub.origin, "GET", "/firmware/1.0.0/download", {
        token: account,
        headers: { range: "bytes=1000000-" },
      });
      assert.deepEqual([beyond.status, beyond.body.error], [416, "range_not_satisfiable"]);
      assert.equal(beyond.headers.get("content-range"), `bytes */${first().length}`);
    });

    test("has the same fields for HEAD as for GET", async () => {
      const { status, bytes, headers } = await request(hub.origin, "HEAD", "/firmware/1.0.0/download", {
        token: account,
      });
      assert.deepEqual([status, bytes.length], [200, 0]);
      assert.equal(headers.get("content-length"), `${first().length}`);
    });

    test("of the only architecture with firmware is the latest if none is named", async () => {
      for (const token of [account, publisher.token]) {
        const { status, body } = await request(hub.origin, "GET", "/firmware/latest", { token });
        assert.deepEqual([status, body.version, body.arch], [200, "1.0.0", "native"]);
      }
    });

    test("is for one architecture, which a device may omit, and others must name if there are several", async () => {
      assert.equal((await bring(hub, publisher, xtensaBundle("2.0.1", publisher))).status, 201);
      const board = await registerDevice(hub, { arch: "xtensa" });
      const console = await registerDevice(hub, { arch: "native" });
      const latest = (token: string, query = "") =>
        request(hub.origin, "GET", `/firmware/latest${query}`, { token });
      assert.deepEqual(
        [(await latest(board.token)).body.version, (await latest(console.token)).body.version],
        ["2.0.1", "1.0.0"],
      );
      assert.equal((await latest(board.token, "?arch=native")).body.version, "1.0.0");
      const unnamed = await latest(account);
      assert.deepEqual([unnamed.status, unnamed.body.error], [400, "missing_parameter"]);
      const unknown = await latest(account, "?arch=arm");
      assert.deepEqual([unknown.status, unknown.body.error], [404, "firmware_not_found"]);
      const nonsense = await latest(account, "?arch=sparc");
      assert.deepEqual([nonsense.status, nonsense.body.error], [400, "bad_parameter"]);
      const twice = await latest(account, "?arch=native&arch=native");
      assert.deepEqual([twice.status, twice.body.error], [400, "duplicate_parameter"]);
    });

    test("of one version for several architectures is downloaded by architecture", async () => {
      assert.equal((await bring(hub, publisher, nativeBundle("3.0.0", publisher))).status, 201);
      assert.equal((await bring(hub, publisher, xtensaBundle("3.0.0", publisher))).status, 201);
      const board = await registerDevice(hub, { arch: "xtensa" });
      const download = (token: string, query = "") =>
        request(hub.origin, "GET", `/firmware/3.0.0/download${query}`, { token });
      assert.deepEqual((await download(board.token)).bytes, xtensaBundle("3.0.0", publisher));
      assert.deepEqual((await download(account, "?arch=native")).bytes, nativeBundle("3.0.0", publisher));
      const unnamed = await download(account);
      assert.deepEqual([unnamed.status, unnamed.body.error], [400, "missing_parameter"]);
      for (const version of ["9.9.9", "newest"]) {
        const { status, body } = await request(hub.origin, "GET", `/firmware/${version}/download`, {
          token: account,
        });
        assert.deepEqual([status, body.error], [404, "firmware_not_found"]);
      }
    });

    test("is listed in pages, newest first", async () => {
      const page = (query: string) => request(hub.origin, "GET", `/firmware${query}`, { token: account });
      const { status, body } = await page("?per_page=3");
      assert.equal(status, 200);
      const versions = body.firmware.map(
        ({ arch, version }: { arch: string; version: string }) => `${version} ${arch}`,
      );
      assert.deepEqual(versions, ["3.0.0 xtensa", "3.0.0 native", "2.0.1 xtensa"]);
      assert.deepEqual([body.total, body.page, body.per_page], [4, 1, 3]);
      assert.equal((await page("?per_page=3&page=2")).body.firmware[0].version, "1.0.0");
      assert.equal((await page("?arch=native")).body.total, 2);
      assert.deepEqual((await page("?page=0")).body.error, "bad_parameter");
    });

    const REFUSALS: readonly (readonly [string, () => Uint8Array, string, number])[] = [
      ["bytes that are no bundle", () => new TextEncoder().encode("hello, hub"), "bundle_magic", 422],
      ["an empty file", () => new Uint8Array(0), "bundle_length", 422],
      [
        "another magic",
        () => bundleOf(simulatorImage(9), { magic: "AKFV", signer: publisher.signer }),
        "bundle_magic",
        422,
      ],
      [
        "another format version",
        () => bundleOf(simulatorImage(9), { formatVersion: 2, signer: publisher.signer }),
        "bundle_version",
        422,
      ],
      [
        "a bundle shorter than announced",
        () => bundleOf(simulatorImage(9), { lengthError: 1, signer: publisher.signer }),
        "bundle_length",
        422,
      ],
      [
        "a bundle longer than announced",
        () => bundleOf(simulatorImage(9), { lengthError: -1, signer: publisher.signer }),
        "bundle_length",
        422,
      ],
      [
        "another CRC",
        () => bundleOf(simulatorImage(9), { crcError: 1, signer: publisher.signer }),
        "bundle_crc",
        422,
      ],
      [
        "another key's signature",
        () => bundleOf(simulatorImage(9), { signer: FOREIGNER }),
        "signature_invalid",
        403,
      ],
      ["a changed bit", () => flipped(nativeBundle("8.0.0", publisher), 8 * 150), "signature_invalid", 403],
      [
        "an image of no known kind",
        () => bundleOf(new Uint8Array(500), { signer: publisher.signer }),
        "image_invalid",
        422,
      ],
      [
        "an image for a chip that no console has",
        () => bundleOf(espImage({ chip: 5 }), { signer: publisher.signer }),
        "image_invalid",
        422,
      ],
      [
        "an image for an architecture that no console has",
        () => bundleOf(simulatorImage(9, { architecture: "sparc" }), { signer: publisher.signer }),
        "image_invalid",
        422,
      ],
      ["a bundle that is too large", () => new Uint8Array(LIMIT_BYTES + 1), "file_too_large", 413],
    ];
    for (const [what, bundle, code, expected] of REFUSALS)
      test(`rejects ${what} and stores nothing of it`, async () => {
        const before = await filesOf(hub);
        const { status, body } = await bring(hub, publisher, bundle());
        assert.deepEqual([status, body.error], [expected, code]);
        assert.deepEqual(await filesOf(hub), before);
      });

    test("accepts a bundle of exactly the size limit", async () => {
      const bundle = nativeBundle("3.0.1", publisher, LIMIT_BYTES - 78 - 128);
      assert.equal(bundle.length, LIMIT_BYTES);
      assert.equal((await bring(hub, publisher, bundle)).status, 201);
    });

    test("rejects an image that differs from the publisher's description, naming both", async () => {
      const before = await filesOf(hub);
      const bundle = nativeBundle("4.0.0", publisher);
      const version = await bring(hub, publisher, bundle, { version: "4.0.1" });
      assert.deepEqual([version.status, version.body.error], [422, "image_invalid"]);
      assert.match(version.body.message, /4\.0\.1.*4\.0\.0/);
      const arch = await bring(hub, publisher, bundle, { arch: "xtensa" });
      assert.deepEqual([arch.status, arch.body.error], [422, "image_invalid"]);
      assert.match(arch.body.message, /xtensa.*native/);
      const nonsense = await bring(hub, publisher, bundle, { version: "four" });
      assert.deepEqual([nonsense.status, nonsense.body.error], [400, "bad_parameter"]);
      const wordy = await bring(hub, publisher, bundle, { notes: "n".repeat(4097) });
      assert.deepEqual([wordy.status, wordy.body.error], [400, "bad_parameter"]);
      assert.deepEqual(await filesOf(hub), before);
    });

    test("rejects an existing version, and an older one, from any publisher", async () => {
      const other = await newPublisher(hub);
      const before = await filesOf(hub);
      for (const [version, code] of [
        ["1.0.0", "version_exists"],
        ["3.0.0", "version_exists"],
        ["2.9.9", "version_not_newer"],
      ] as const) {
        const { status, body } = await bring(hub, other, nativeBundle(version, other));
        assert.deepEqual([status, body.error], [409, code]);
      }
      assert.deepEqual(await filesOf(hub), before);
    });

    test("accepts newer firmware from any publisher", async () => {
      const other = await newPublisher(hub);
      const { status } = await bring(hub, other, nativeBundle("3.10.0", other));
      assert.equal(status, 201);
      const { body } = await request(hub.origin, "GET", "/firmware/latest?arch=native", { token: account });
      assert.equal(body.version, "3.10.0");
    });

    test("of one version that is published several times at once is accepted once, and no other is stored", async () => {
      const before = await filesOf(hub);
      // One after the other: connections of one thread to an SQLite file cannot wait for each other.
      const publishers: TestPublisher[] = [];
      for (let count = 0; count < 4; count++) publishers.push(await newPublisher(hub));
      const answers = await Promise.all(
        publishers.map((each) => bring(hub, each, nativeBundle("3.11.0", each))),
      );
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, 409, 409, 409]);
      assert.ok(answers.every(({ body, status }) => status === 201 || body.error === "version_exists"));
      assert.equal((await filesOf(hub)).length, before.length + 1);
    });

    test("rejects invalid forms", async () => {
      const bundle = nativeBundle("5.0.0", publisher);
      const withText = new FormData();
      withText.set("bundle", "a text");
      const twice = formOf(bundle);
      twice.append("bundle", new Blob([Uint8Array.from(bundle)]), "again.svcfw");
      const without = new FormData();
      without.set("version", "5.0.0");
      for (const form of [withText, twice, without]) {
        const { status, body } = await request(hub.origin, "POST", "/firmware", {
          token: publisher.token,
          form,
        });
        assert.deepEqual([status, body.error], [400, "multipart_invalid"]);
      }
      const json = await request(hub.origin, "POST", "/firmware", { token: publisher.token, json: {} });
      assert.deepEqual([json.status, json.body.error], [415, "media_type_unsupported"]);
    });

    test("is read with any token, and published by publishers only", async () => {
      const device = await registerDevice(hub);
      const paths = ["/firmware", "/firmware/latest?arch=native", "/firmware/1.0.0/download"];
      for (const each of paths)
        for (const token of [undefined, "garbage", `svca_${"A".repeat(43)}`]) {
          const { status, body } = await request(hub.origin, "GET", each, { token });
          assert.deepEqual([status, body.error], [401, "unauthorized"]);
        }
      for (const [token, expected] of [
        [undefined, 401],
        [account, 403],
        [device.token, 403],
      ] as const) {
        const form = formOf(nativeBundle("5.0.0", publisher));
        assert.equal((await request(hub.origin, "POST", "/firmware", { token, form })).status, expected);
      }
    });

    test("of a revoked key is rejected, and firmware that it has signed is withdrawn", async () => {
      const other = await newPublisher(hub);
      assert.equal((await bring(hub, other, nativeBundle("6.0.0", other))).status, 201);
      await withPublishers(hub.environment, async (publishers) => {
        for (const { key_id } of await publishers.keys.list(other.name))
          await publishers.keys.revoke(other.name, key_id);
      });
      const { status, body } = await bring(hub, other, nativeBundle("6.0.1", other));
      assert.deepEqual([status, body.error], [403, "signature_invalid"]);
      const download = await request(hub.origin, "GET", "/firmware/6.0.0/download", { token: account });
      assert.deepEqual([download.status, download.body.error], [410, "firmware_withdrawn"]);
    });
  });

// docs/spec/hub-push.md#held
for (const { name, missing, start } of HUBS)
  test.skipIf(missing)(`Firmware whose file is missing delays no other command on ${name}`, async () => {
    const hub = await start({ environment: { SVC_HUB_ED25519_PRIVATE_KEY: newHubKey().pem } });
    onTestFinished(() => hub.stop());
    const publisher = await newPublisher(hub);
    const bundle = nativeBundle("1.0.0", publisher);
    await bring(hub, publisher, bundle);
    const device = await registerDevice(hub);
    const { token } = device;
    const file = path.join(hub.storagePath, "files", SHA256(bundle));
    await rename(file, `${file}.away`);
    const give = (method: string, place: string) => request(hub.origin, method, place, { token });
    await give("POST", "/devices/me/firmware");
    await give("DELETE", "/devices/me/apps/first");
    const channel = await Channel.open(hub.origin, token);
    assert.equal((await channel.next("app.uninstall")).app_id, "first");
    await give("DELETE", "/devices/me/apps/second");
    assert.equal((await channel.next("app.uninstall")).app_id, "second");
    assert.ok(channel.isOpen);
    await channel.close();
  });

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Firmware of a hub that signs, on ${name}`, () => {
    const key = newHubKey();
    let hub: HubUnderTest;
    let publisher: TestPublisher;
    let account: string;

    beforeAll(async () => {
      hub = await start({ environment: { SVC_HUB_ED25519_PRIVATE_KEY: key.pem } });
      publisher = await newPublisher(hub);
      account = await newAccount(hub);
      await bring(hub, publisher, nativeBundle("1.0.0", publisher, 200_000));
    });
    afterAll(() => hub?.stop());

    test("is accepted by a console that trusts the hub's key, and by none that trusts another key", async () => {
      const { bytes } = await request(hub.origin, "GET", "/firmware/1.0.0/download", { token: account });
      const room = { imageLimitBytes: 1_000_000 };
      const { image } = await readBundle(bytes, { keys: [key.publicKey], ...room });
      assert.deepEqual([image.version, image.architecture], ["1.0.0", "native"]);
      assert.equal(
        await refusal(bytes, { keys: [publisher.signer.publicKey], ...room }),
        "signature_invalid",
      );
    });

    test("differs from the publisher's in its signature alone", async () => {
      const brought = nativeBundle("1.0.0", publisher, 200_000);
      const { bytes, headers } = await request(hub.origin, "GET", "/firmware/1.0.0/download", {
        token: account,
      });
      assert.deepEqual(bytes.subarray(0, 6), brought.subarray(0, 6));
      assert.deepEqual(bytes.subarray(70), brought.subarray(70));
      assert.equal(headers.get("x-svc-signature"), SIGNATURE(bytes));
      assert.equal(headers.get("x-svc-publisher-signature"), SIGNATURE(brought));
    });

    test("has the same description as the served bytes, from every process", async () => {
      const { bytes } = await request(hub.origin, "GET", "/firmware/1.0.0/download", { token: account });
      for (const origin of hub.origins) {
        const { body } = await request(origin, "GET", "/firmware/latest?arch=native", { token: account });
        assert.deepEqual(
          [body.sha256, body.signature, body.size_bytes],
          [SHA256(bytes), SIGNATURE(bytes), bytes.length],
        );
        const { headers } = await request(origin, "HEAD", "/firmware/1.0.0/download", { token: account });
        assert.equal(headers.get("etag"), `"${SHA256(bytes)}"`);
      }
    });

    test("is the same in parts, over processes, wherever it was cut", async () => {
      const whole = await request(hub.origin, "GET", "/firmware/1.0.0/download", { token: account });
      const ranges = ["0-5", "3-80", "70-77", "77-78", "78-200", "0-0", "100000-", "-10"];
      for (const range of ranges) {
        const { status, bytes } = await request(hub.origin, "GET", "/firmware/1.0.0/download", {
          token: account,
          headers: { range: `bytes=${range}`, "if-range": whole.headers.get("etag") ?? "" },
        });
        assert.equal(status, 206);
        const [start = "", end = ""] = range.split("-");
        const expected =
          start === ""
            ? whole.bytes.subarray(-Number(end))
            : whole.bytes.subarray(Number(start), end === "" ? undefined : Number(end) + 1);
        assert.deepEqual(bytes, expected, range);
      }
    });
  });
