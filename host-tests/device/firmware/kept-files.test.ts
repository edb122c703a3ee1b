/**
 * Files that the tools of version 0.1.0 have made (host-tests/fixtures/0.1.0/files), on a console of today: an example app
 * that `build:apps` built and signed, and a bundle that `build:firmware` and `svc firmware pack` made of that version's
 * sources, as 0.1.1.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  installInHttpChunks,
  installOverHttp,
  installOverUsb,
  type Upload,
} from "../../hosts/app-clients.js";
import {
  type FirmwareConsole,
  IN_HTTP_CHUNKS,
  OVER_HTTP,
  OVER_USB,
  startFirmwareConsole,
} from "../../hosts/firmware-console.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { isModdable } from "../../hosts/moddable.js";
import { overUsb } from "../../hosts/usb-client.js";

const kept = (name: string) =>
  readFileSync(path.join(import.meta.dirname, "../../fixtures/0.1.0/files", name));

/** Only the public key is kept, so that nothing else can be signed with it. */
const TRUSTED_KEYS = kept("publisher.pem").toString();
const PACKAGE: Upload = {
  file: kept("bricks-1.0.0.svcpkg"),
  signature: kept("bricks-1.0.0.svcpkg.sig").toString().trim(),
};
/** Compressed only in the repository. */
const BUNDLE = gunzipSync(kept("svc-0.1.1.svcfw.gz"));

let state: string;
let console: FirmwareConsole;
beforeEach(async () => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
  mkdirSync(path.join(state, "lfs/hub"), { recursive: true });
  writeFileSync(path.join(state, "lfs/hub/trusted_keys.pem"), TRUSTED_KEYS);
  console = await startFirmwareConsole({ state });
});
afterEach(async () => {
  await console.stop();
  rmSync(state, { recursive: true, force: true });
});

describe("A package built by 0.1.0", () => {
  const CHUNK_BYTES = 3072;
  const TRANSPORTS = [
    { over: "HTTP in one request", install: () => installOverHttp(console, PACKAGE) },
    { over: "HTTP in chunks", install: () => installInHttpChunks(console, PACKAGE, CHUNK_BYTES) },
    {
      over: "USB in chunks",
      install: () => overUsb(console, (usb) => installOverUsb(usb, PACKAGE, CHUNK_BYTES)),
    },
  ];
  for (const { over, install } of TRANSPORTS)
    test(`is installed over ${over}, and runs`, async () => {
      expect(await install()).toMatchObject({
        status: 200,
        body: { name: "bricks", version: "1.0.0", state: "stopped", memory_quota: 65536 },
      });
      const app = (verb: string) =>
        askHttp(`${console.http}/api/apps/${verb}?name=bricks`, { method: "POST" });
      const screen = async () => Buffer.from(await (await fetch(`${console.http}/api/screen`)).arrayBuffer());
      const before = await screen();
      expect((await app("start")).status).toBe(200);
      await expect.poll(async () => before.equals(await screen())).toBe(false);
      expect(await getJson(`${console.http}/api/apps/list`)).toMatchObject([{ state: "running" }]);
      expect(await app("stop")).toMatchObject({ body: { last_exit: { reason: "stopped" } } });
    });

  test("is rejected with a changed byte", async () => {
    const file = Uint8Array.from(PACKAGE.file);
    file[100] = (file[100] ?? 0) ^ 1;
    expect(await installOverHttp(console, { ...PACKAGE, file })).toMatchObject({
      status: 403,
      body: { error: "signature_invalid" },
    });
  });
});

describe.skipIf(isModdable)("Firmware packed by 0.1.0", () => {
  for (const { over, open } of [OVER_HTTP, IN_HTTP_CHUNKS, OVER_USB])
    test(`is accepted over ${over}, boots on trial, and stays once confirmed`, async () => {
      const client = await open(console);
      const from = console.stderr.length;
      expect(await client.upload(BUNDLE, { reboot: "true" })).toMatchObject({
        status: 200,
        body: { state: "staged", running_version: "0.1.0", staged_version: "0.1.1" },
      });
      await console.started("update", from);
      expect(await console.ota()).toMatchObject({ state: "pending_confirm", running_version: "0.1.1" });
      expect(await client.ask("POST", "/api/ota/confirm")).toMatchObject({
        status: 200,
        body: { state: "idle", last_result: { result: "confirmed", version: "0.1.1" } },
      });
      const then = console.stderr.length;
      await client.ask("POST", "/api/reboot");
      await console.started("software", then);
      expect(await console.system()).toMatchObject({ firmware: { version: "0.1.1", state: "confirmed" } });
      await client.close();
    });

  test("is rejected with a changed byte", async () => {
    const client = await OVER_HTTP.open(console);
    const bundle = Uint8Array.from(BUNDLE);
    bundle[100_000] = (bundle[100_000] ?? 0) ^ 1;
    expect((await client.upload(bundle)).status).toBeGreaterThanOrEqual(400);
    expect(await console.ota()).toMatchObject({ state: "idle", last_result: { result: "rejected" } });
    await client.close();
  });
});
