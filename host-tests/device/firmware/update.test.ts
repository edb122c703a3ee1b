/**
 * An update as it should be: uploaded, tried, confirmed, and there from then on
 * (docs/spec/boot-and-slots.md#ota-confirm).
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import {
  type FirmwareClient,
  type FirmwareConsole,
  IN_HTTP_CHUNKS,
  OVER_HTTP,
  OVER_USB,
  startFirmwareConsole,
} from "../../hosts/firmware-console.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { askHttp } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { UsbClient } from "../../hosts/usb-client.js";

const publisher = new Publisher();
const successor = new Publisher();
/** Brings another key along, which replaces the one that it is signed with. */
const bundle = () => firmwareBundle({ version: "0.2.0", trustedKeys: successor.pem }, publisher);

let state = "";
beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const trustedKeys = () => readFileSync(path.join(state, "lfs/hub/trusted_keys.pem"), "utf8");

const restart = (client: FirmwareClient) => client.ask("POST", "/api/reboot");

/** Uploads the bundle and lets it boot. */
const ACTIVATIONS = [
  {
    by: "reboot=true",
    activate: async (_console: FirmwareConsole, client: FirmwareClient) => {
      expect(await client.upload(await bundle(), { reboot: "true" })).toMatchObject(STAGED);
    },
  },
  {
    by: "POST /api/reboot",
    activate: async (console: FirmwareConsole, client: FirmwareClient) => {
      expect(await client.upload(await bundle())).toMatchObject(STAGED);
      expect(await console.ota()).toMatchObject(STAGED.body);
      expect(await restart(client)).toMatchObject({ status: 200, body: { rebooting: true } });
    },
  },
] as const;

const STAGED = {
  status: 200,
  body: {
    state: "staged",
    progress_percent: 100,
    running_version: "0.1.0",
    running_slot: "a",
    staged_version: "0.2.0",
  },
};
const ON_TRIAL = { running_version: "0.2.0", running_slot: "b", received_bytes: 0 };
const CONFIRMED = {
  state: "idle",
  received_bytes: 0,
  total_bytes: 0,
  progress_percent: 0,
  running_version: "0.2.0",
  running_slot: "b",
  last_result: { result: "confirmed", version: "0.2.0" },
};

async function expectTrial(client: FirmwareClient): Promise<void> {
  const { body } = await client.ask("GET", "/api/ota/status");
  expect(body).toMatchObject({ state: "pending_confirm", ...ON_TRIAL });
  expect(body.confirm_within_ms).toBeGreaterThan(0);
  expect(body.confirm_within_ms).toBeLessThanOrEqual(300_000);
  expect((await client.ask("GET", "/api/status")).body.fw_version).toBe("0.2.0");
  expect((await client.ask("GET", "/api/system")).body).toMatchObject({
    firmware: { version: "0.2.0", slot: "b", state: "pending_confirm" },
    reset_reason: "update",
  });
}

for (const { over, open } of [OVER_HTTP, IN_HTTP_CHUNKS, OVER_USB])
  for (const { by, activate } of ACTIVATIONS)
    test(`Firmware uploaded over ${over} and activated by ${by} stays once confirmed, with its keys`, async () => {
      const console = await startFirmwareConsole({ state, publisher });
      const client = await open(console);
      const from = console.stderr.length;
      await activate(console, client);
      await console.started("update", from);
      await expectTrial(client);
      expect(trustedKeys()).toBe(publisher.pem);

      expect(await client.ask("POST", "/api/ota/confirm")).toMatchObject({ status: 200, body: CONFIRMED });
      expect(trustedKeys()).toBe(successor.pem);
      expect(await client.ask("POST", "/api/ota/confirm")).toMatchObject({
        status: 409,
        body: { error: "nothing_pending" },
      });
      const then = console.stderr.length;
      await restart(client);
      await console.started("software", then);
      expect((await client.ask("GET", "/api/ota/status")).body).toEqual(CONFIRMED);
      await client.close();
      await console.stop();

      const again = await startFirmwareConsole({ state });
      expect(await again.ota()).toEqual(CONFIRMED);
      expect(await again.system()).toMatchObject({
        firmware: { version: "0.2.0", slot: "b", state: "confirmed" },
        reset_reason: "power_on",
      });
      expect(trustedKeys()).toBe(successor.pem);
      await again.stop();
    });

test("POST /upload stages a bundle and restarts into it", async () => {
  const console = await startFirmwareConsole({ state, publisher });
  const from = console.stderr.length;
  const body = await bundle();
  expect(await askHttp(`${console.http}/upload`, { method: "POST", body })).toMatchObject(STAGED);
  await console.started("update", from);
  expect(await console.ota()).toMatchObject({ state: "pending_confirm", ...ON_TRIAL });
  await console.stop();
});

test("POST /upload accepts only bundles, and only over HTTP", async () => {
  const module = await moduleOf('(module (memory 1) (func (export "main")))');
  const form = new FormData();
  form.append("file", new Blob([await bundle()]), "firmware.svcfw");
  const OTHERS = {
    module,
    package: packageOf(module),
    json: '{"url":"x"}',
    form,
    short: Uint8Array.of(0x41, 0x4b, 0x46),
    empty: "",
    shifted: " AKFW",
  };
  const console = await startFirmwareConsole({ state, publisher });
  const before = { status: await console.ota(), flash: console.flash() };
  for (const [kind, body] of Object.entries(OTHERS))
    expect(await askHttp(`${console.http}/upload`, { method: "POST", body }), kind).toMatchObject({
      status: 415,
      body: { error: "media_type_unsupported" },
    });
  const usb = await UsbClient.open(console.usb);
  const chunk = { chunk: 1, total: 1, data: Buffer.from("AKFW").toString("base64") };
  expect(await usb.request("POST", "/upload", {}, chunk)).toMatchObject({
    status: 404,
    body: { error: "wifi_only" },
  });
  await usb.close();
  expect({ status: await console.ota(), flash: console.flash() }).toEqual(before);
  await console.stop();
});
