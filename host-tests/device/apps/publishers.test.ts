/** An app is its name and its publisher (docs/spec/apps.md#identity), on the real simulator. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  installInHttpChunks,
  installOverHttp,
  installOverUsb,
  type Upload,
} from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { aotFile } from "../../unit/services/apps/aot-file.js";

const [first, second, hub, renewed] = [new Publisher(), new Publisher(), new Publisher(), new Publisher()];
/** Not trusted. */
const stranger = new Publisher();
const SMALL_ORDER = `01${"00".repeat(31)}`;
const TRUSTED = [first, second, hub, renewed].map(({ pem }) => pem).join("");

/** `main` returns the bytes read of `score`, or the result of storing it if it is missing. */
const KEEPER = `(module
  (import "svc" "storage_read" (func $read (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "storage_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 0) "score1234")
  (func (export "main") (result i32) (local $read i32)
    (local.set $read (call $read (i32.const 0) (i32.const 5) (i32.const 0) (i32.const 64) (i32.const 4)))
    (if (result i32) (i32.lt_s (local.get $read) (i32.const 0))
      (then (call $write (i32.const 0) (i32.const 5) (i32.const 5) (i32.const 4)))
      (else (local.get $read)))))`;
/** Length of a stored `score`. */
const STORED = 4;

const module = await moduleOf(KEEPER);
const version = (number: string, fields = {}) =>
  packageOf(module, { version: number, capabilities: ["storage.read", "storage.write"], ...fields });
function trustAll(state: string): void {
  const file = path.join(state, "lfs/hub/trusted_keys.pem");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, TRUSTED);
}

/** Runs the app once. @returns its exit code */
async function runOnce(console: AppConsole, name = "tetris"): Promise<number> {
  const before = (await console.until((entry) => entry, name)).last_exit;
  expect((await console.app("start", name)).status).toBe(200);
  const isOver = (entry: { state: string; last_exit?: { at_ms: number } }) =>
    entry.state === "stopped" && entry.last_exit?.at_ms !== before?.at_ms;
  return (await console.until(isOver, name)).last_exit.code;
}

let console: AppConsole;
let usb: UsbClient;
beforeAll(async () => {
  console = await startAppConsole();
  trustAll(console.state);
  usb = await UsbClient.open(console.usb);
});
afterAll(async () => {
  await usb?.close();
  await console?.stop();
});

const by = (publisher: Publisher, file: Uint8Array): Upload => ({ file, signature: publisher.sign(file) });
const fromHub = (publisher: Publisher, file: Uint8Array): Upload => ({
  ...by(hub, file),
  publisher: hub.vouchFor(publisher, file),
});

const TRANSPORTS = [
  { over: "HTTP", send: (upload: Upload) => installOverHttp(console, upload) },
  { over: "HTTP in chunks", send: (upload: Upload) => installInHttpChunks(console, upload, 300) },
  { over: "USB", send: (upload: Upload) => installOverUsb(usb, upload, 2048) },
] as const;

describe.each(TRANSPORTS)("Over $over", ({ over, send }) => {
  beforeEach(async () => {
    await console.app("uninstall");
    expect(await send(by(first, version("1.0.0")))).toMatchObject({ status: 200 });
    expect(await runOnce(console)).toBe(0);
    expect(await runOnce(console)).toBe(STORED);
  });

  async function expectRefused(upload: Upload, status: number, error: string) {
    const before = await console.trace();
    expect(await send(upload)).toMatchObject({ status, body: { error, message: expect.any(String) } });
    expect(await console.trace()).toEqual(before);
  }

  test("an app signed by another key neither replaces an app nor reads its storage after an uninstall", async () => {
    await expectRefused(by(second, version("2.0.0")), 409, "publisher_mismatch");
    await expectRefused({ ...by(second, module), name: "tetris" }, 409, "publisher_mismatch");
    await expectRefused({ ...by(second, aotFile()), name: "tetris" }, 409, "publisher_mismatch");
    expect(await runOnce(console)).toBe(STORED);
    await console.app("uninstall");
    expect(await send(by(second, version("2.0.0")))).toMatchObject({ status: 200 });
    expect(await runOnce(console)).toBe(0);
  });

  test("apps of one publisher have separate storage", async () => {
    expect(await send(by(first, version("1.0.0", { name: "other" })))).toMatchObject({ status: 200 });
    expect(await runOnce(console, "other")).toBe(0); // finds nothing, and stores
    await console.app("uninstall", "other"); // with its storage
    expect(await runOnce(console)).toBe(STORED);
  });

  test("a hub's signature does not move an app from one publisher to another", async () => {
    await expectRefused(fromHub(second, version("2.0.0")), 409, "publisher_mismatch");
    await expectRefused(by(hub, version("2.0.0")), 409, "publisher_mismatch");
    const forged = { ...hub.vouchFor(first, version("2.0.0")), signature: hub.sign(version("2.0.0")) };
    await expectRefused({ ...by(hub, version("2.0.0")), publisher: forged }, 403, "signature_invalid");
    expect(await send(fromHub(first, version("2.0.0")))).toMatchObject({
      status: 200,
      body: { version: "2.0.0", publisher: first.hex.slice(0, 16) },
    });
    expect(await runOnce(console)).toBe(STORED);
  });

  test("a succession moves the app to the new key, and the old key is rejected", async () => {
    await expectRefused(by(renewed, version("2.0.0")), 409, "publisher_mismatch");
    const publisher = { succession: first.succeedBy(renewed) };
    const body = { version: "2.0.0", publisher: renewed.hex.slice(0, 16) };
    expect(await send({ ...by(renewed, version("2.0.0")), publisher })).toMatchObject({ body });
    expect(await runOnce(console)).toBe(STORED);
    await expectRefused(by(first, version("3.0.0")), 409, "publisher_mismatch");
  });

  test("an older version is rejected with 409 version_older, except over USB with downgrade", async () => {
    expect(await send(by(first, version("1.1.0")))).toMatchObject({ status: 200 });
    await expectRefused(by(first, version("1.0.9")), 409, "version_older");
    const asked = { ...by(first, version("1.0.9")), downgrade: true };
    if (over !== "USB") return expectRefused(asked, 409, "version_older");
    expect(await send(asked)).toMatchObject({ status: 200, body: { version: "1.0.9" } });
    expect(await runOnce(console)).toBe(STORED);
  });
});

describe("Over HTTP, an app of one publisher", () => {
  beforeEach(async () => {
    await console.app("uninstall");
    expect(await installOverHttp(console, by(first, version("1.0.0")))).toMatchObject({
      body: { publisher: first.hex.slice(0, 16) },
    });
  });

  const file = version("2.0.0");
  const other = version("1.5.0");
  const vouched = hub.vouchFor(first, file);
  const { signature: _, ...unsigned } = vouched;
  const REFUSED: readonly (readonly [string, NonNullable<Upload["publisher"]>])[] = [
    ["a voucher of an untrusted hub", stranger.vouchFor(first, file)],
    ["a voucher for another package", { ...vouched, voucher: hub.vouchFor(first, other).voucher as string }],
    ["a voucher for another key", { ...vouched, key: second.hex }],
    ["a publisher's signature over another package", { ...vouched, signature: first.sign(other) }],
    ["a publisher's signature made by the hub", { ...vouched, signature: hub.sign(file) }],
    ["a voucher without the publisher's signature", unsigned],
    ["a key of small order", { ...vouched, key: SMALL_ORDER }],
    ["an invalid key", { ...vouched, key: "no key" }],
  ];
  test.each(REFUSED)("is not replaced from a hub with %s", async (_, publisher) => {
    expect(await installOverHttp(console, { ...by(hub, file), publisher })).toMatchObject({
      status: 403,
      body: { error: "signature_invalid" },
    });
    expect(await console.apps()).toMatchObject([{ version: "1.0.0" }]);
  });

  const signatureOf = (text: string) => text.split(":")[2];
  const SUCCESSIONS: readonly (readonly [string, string])[] = [
    [
      "signed by the new key itself",
      `${first.hex}:${renewed.hex}:${signatureOf(renewed.succeedBy(renewed))}`,
    ],
    ["from the old key to another new key", first.succeedBy(second)],
    [
      "whose first link is forged",
      `${first.hex}:${second.hex}:${signatureOf(hub.succeedBy(second))},${second.succeedBy(renewed)}`,
    ],
    ["from a key of small order", `${SMALL_ORDER}:${renewed.hex}:${"00".repeat(64)}`],
    ["that is other text", "something else"],
  ];
  test.each(SUCCESSIONS)("is not replaced with a succession %s", async (_, succession) => {
    const upload = { ...by(renewed, file), publisher: { succession } };
    expect(await installOverHttp(console, upload)).toMatchObject({
      status: 403,
      body: { error: "signature_invalid" },
    });
    expect(await console.apps()).toMatchObject([{ version: "1.0.0" }]);
  });

  test("moves with a succession through a hub that signs", async () => {
    const publisher = { ...hub.vouchFor(renewed, file), succession: first.succeedBy(renewed) };
    expect(await installOverHttp(console, { ...by(hub, file), publisher })).toMatchObject({
      body: { version: "2.0.0", publisher: renewed.hex.slice(0, 16) },
    });
  });

  test("accepts an AOT file of its publisher", async () => {
    const aot = { ...by(first, aotFile("x86_64")), name: "tetris" };
    expect(await installOverHttp(console, aot)).toMatchObject({ body: { variants: ["native"] } });
  });

  test("is not replaced by a package for another architecture, and is by one for its own", async () => {
    for (const target_arch of ["xtensa", "arm", "rv32"] as const)
      expect(await installOverHttp(console, by(first, version("2.0.0", { target_arch })))).toMatchObject({
        status: 422,
        body: { error: "module_unsupported" },
      });
    expect(
      await installOverHttp(console, by(first, version("2.0.0", { target_arch: "native" }))),
    ).toMatchObject({
      status: 200,
    });
  });

  test("that a hub signed has the hub's key as its publisher until it vouches for one, trusted or not", async () => {
    const named = (number: string) => version(number, { name: "through-hub" });
    const publisherOf = async (upload: Upload) => (await installOverHttp(console, upload)).body.publisher;
    expect(await publisherOf(by(hub, named("1.0.0")))).toBe(hub.hex.slice(0, 16));
    expect(await publisherOf(fromHub(stranger, named("2.0.0")))).toBe(stranger.hex.slice(0, 16));
    for (const upload of [fromHub(first, named("3.0.0")), by(hub, named("3.0.0"))])
      expect(await installOverHttp(console, upload)).toMatchObject({ body: { error: "publisher_mismatch" } });
    await console.app("uninstall", "through-hub");
  });
});

test("CONFIG_SVC_APP_ALLOW_DOWNGRADE allows a downgrade over the network if the request asks for it", async () => {
  const flags = ["--config", "CONFIG_SVC_APP_ALLOW_DOWNGRADE=on"];
  const lenient = await startAppConsole({ flags, publisher: first });
  try {
    expect(await installOverHttp(lenient, by(first, version("1.1.0")))).toMatchObject({ status: 200 });
    const older = by(first, version("1.0.0"));
    expect(await installOverHttp(lenient, older)).toMatchObject({ status: 409 });
    expect(await installOverHttp(lenient, { ...older, downgrade: true })).toMatchObject({ status: 200 });
  } finally {
    await lenient.stop();
  }
});
