/**
 * A new console trusts the keys that its firmware contains (docs/spec/boot-and-slots.md#first-keys).
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { type FirmwareConsole, OVER_HTTP, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { firmwareBundle, firmwareImage } from "../../hosts/firmware-files.js";
import { Publisher } from "../../hosts/publisher.js";

const publisher = new Publisher();
const stranger = new Publisher();
const TRUSTED = / I ota: trusting the keys of firmware 0\.1\.0: there were none before$/;

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const state = () => path.join(directory, "state");
const trustedKeys = () => readFileSync(path.join(state(), "lfs/hub/trusted_keys.pem"), "utf8");

/** Starts a console flashed with an image that contains the publisher's key. */
async function startFlashed(): Promise<FirmwareConsole> {
  const image = path.join(directory, "factory.img");
  writeFileSync(image, await firmwareImage({ version: "0.1.0", trustedKeys: publisher.pem }));
  return startFirmwareConsole({ state: state(), image, publisher, isStranger: true });
}

test("A flashed console accepts apps and firmware of its firmware's keys from the first start", async () => {
  const console = await startFlashed();
  expect(console.stderr.filter((line) => TRUSTED.test(line))).toHaveLength(1);
  expect(readdirSync(path.join(state(), "lfs/hub"))).toEqual([".reserve", "trusted_keys.pem"]);
  expect(trustedKeys()).toBe(publisher.pem);

  const file = packageOf(await moduleOf('(module (memory 1) (func (export "main")))'));
  expect(await installOverHttp(console, { file, signature: stranger.sign(file) })).toMatchObject({
    status: 403,
    body: { error: "signature_invalid" },
  });
  expect(await installOverHttp(console, { file, signature: publisher.sign(file) })).toMatchObject({
    status: 200,
  });

  const client = await OVER_HTTP.open(console);
  const bundle = await firmwareBundle({ version: "0.2.0", trustedKeys: stranger.pem }, publisher);
  expect(await client.upload(bundle, { reboot: "true" })).toMatchObject({ status: 200 });
  await console.started("update", 0);
  expect(trustedKeys()).toBe(publisher.pem);
  expect(await client.ask("POST", "/api/ota/confirm")).toMatchObject({ status: 200 });
  expect(trustedKeys()).toBe(stranger.pem);
  await client.close();
  await console.stop();
});

test("Flashing keeps existing trusted keys", async () => {
  stranger.becomeTrusted(state());
  const console = await startFlashed();
  expect(console.stderr.filter((line) => TRUSTED.test(line))).toEqual([]);
  expect(await console.ota()).toMatchObject({ state: "idle" });
  expect(trustedKeys()).toBe(stranger.pem);
  await console.stop();
});
