/** An app is its name and its publisher (docs/spec/apps.md#identity), on the real simulator. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  installInHttpChunks,
  installOverHttp,
  installOverUsb,
  type Upload,
} from "../../hosts/app-clients.js";
import { type AppConsole, filesBelow, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { aotFile } from "../../unit/services/apps/aot-file.js";

const [first, second, hub, renewed] = [new Publisher(), new Publisher(), new Publisher(), new Publisher()];
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

let module: Uint8Array;
const version = (number: string, fields = {}) =>
  packageOf(module, { version: number, capabilities: ["storage.read", "storage.write"], ...fields });
beforeAll(async () => {
  module = await moduleOf(KEEPER);
});

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

describe("Apps installed by version 0.1.0", () => {
  const kept = path.join(import.meta.dirname, "../../fixtures/0.1.0/apps");
  const of010 = new Publisher(readFileSync(path.join(kept, "publisher.pem"), "utf8"));
  const state = mkdtempSync(path.join(tmpdir(), "console-010-"));
  let old: AppConsole;
  beforeAll(async () => {
    cpSync(path.join(kept, "lfs"), path.join(state, "lfs"), { recursive: true });
    old = await startAppConsole({ state, publisher: of010 });
    writeFileSync(path.join(state, "lfs/hub/trusted_keys.pem"), of010.pem + TRUSTED);
  });
  afterAll(async () => {
    await old?.stop();
    rmSync(state, { recursive: true, force: true });
  });

  test("keep all their files, have no publisher, and run as a module", async () => {
    expect(filesBelow(path.join(state, "lfs"), "apps")).toMatchObject(
      filesBelow(path.join(kept, "lfs"), "apps/tetris/data"),
    );
    const [bare, tetris] = await old.apps();
    expect(bare).toMatchObject({ name: "bare", version: "0.0.0" });
    expect(tetris).toMatchObject({ name: "tetris", version: "1.2.0", variants: ["native"] });
    expect(tetris).not.toHaveProperty("publisher");
    expect(await runOnce(old)).toBe(0);
    const unused =
      /"tetris" runs as a module, its AOT file for native is ignored: no key of role native signed it/;
    await old.waitForLine(unused);
  });

  test("adopt the publisher of the next version, and keep their storage", async () => {
    expect(await installOverHttp(old, by(of010, version("1.1.0")))).toMatchObject({
      body: { error: "version_older" },
    });
    expect(await installOverHttp(old, by(of010, version("1.2.0")))).toMatchObject({
      body: { publisher: of010.hex.slice(0, 16) },
    });
    expect(await runOnce(old)).toBe(STORED);
    expect(await installOverHttp(old, by(second, version("9.0.0")))).toMatchObject({
      body: { error: "publisher_mismatch" },
    });
  });
});
