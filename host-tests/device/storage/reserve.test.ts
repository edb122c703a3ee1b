/**
 * Where apps have filled the storage, its owner can still revoke a key, update the firmware and remove an app
 * (docs/spec/storage-layout.md#reserve).
 */
import { generateKeyPairSync, sign } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeRevocationList } from "../../../protocol/keys/revocation-list.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { type FirmwareConsole, OVER_HTTP, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { bundleOf, firmwareImage } from "../../hosts/firmware-files.js";
import { askHttp } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { overUsb } from "../../hosts/usb-client.js";

const publisher = new Publisher();
const revoked = generateKeyPairSync("ed25519");
let console: FirmwareConsole;

/** Stores a value of one byte, which takes a block, under each of 32 keys. */
const HOG = `(module
  (import "svc" "storage_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "main") (local $key i32)
    (loop $again
      (i32.store8 (i32.const 0) (i32.add (i32.const 65) (local.get $key)))
      (drop (call $write (i32.const 0) (i32.const 1) (i32.const 8) (i32.const 1)))
      (br_if $again (i32.lt_u (local.tee $key (i32.add (local.get $key) (i32.const 1))) (i32.const 26))))))`;

const sized = (bytes: number) =>
  moduleOf(`(module (memory 15) (data (i32.const 0) "${"x".repeat(bytes)}") (func (export "main")))`);

async function install(
  name: string,
  module: Uint8Array,
  capabilities: readonly string[] = [],
): Promise<number> {
  const file = packageOf(module, { name, capabilities, memory_quota: 15 * 65536 });
  return (await installOverHttp(console, { file, signature: publisher.sign(file) })).status;
}

const freeBytes = async () => (await console.system()).storage.free_bytes;

/** Installs apps of a size until one finds no room. */
async function installUntilFull(bytes: number): Promise<void> {
  const module = await sized(bytes);
  for (let count = 0; count < 20; count++) {
    const status = await install(`a-${bytes}-${count}`, module);
    if (status === 507) return;
    expect(status).toBe(200);
  }
}

beforeAll(async () => {
  console = await startFirmwareConsole({ publisher });
  for (const name of ["hog-1", "hog-2"])
    expect(await install(name, await moduleOf(HOG), ["storage.write"])).toBe(200);
  for (const bytes of [900_000, 90_000, 9_000, 100]) await installUntilFull(bytes);
  for (const name of ["hog-1", "hog-2"])
    expect((await askHttp(`${console.http}/api/apps/start?name=${name}`, { method: "POST" })).status).toBe(
      200,
    );
});
afterAll(() => console?.stop());

function listOf(number: number): Uint8Array<ArrayBuffer> {
  const bytesOf = (pem: string) =>
    Uint8Array.from(Buffer.from(pem.split("\n")[1] ?? "", "base64").subarray(-32));
  const keys = Array.from({ length: 100 }, (_, index) => {
    const { publicKey } = index === 0 ? revoked : generateKeyPairSync("ed25519");
    return Uint8Array.from(publicKey.export({ type: "spki", format: "der" }).subarray(-32));
  });
  return Uint8Array.from(
    writeRevocationList({
      number,
      keys,
      signer: bytesOf(publisher.pem),
      sign: (message) => Uint8Array.from(sign(null, message, publisher.privatePem)),
    }),
  );
}

const revoke = (number: number) =>
  askHttp(`${console.http}/api/keys/revocations`, { method: "POST", body: listOf(number) });
const reserveBytes = () => statSync(path.join(console.state, "lfs/hub/.reserve")).size;

test("Apps can fill the storage", () => expect.poll(freeBytes, { timeout: 20_000 }).toBe(0));

test("A list of revoked keys is stored, time and again, and apps get nothing of the reserve", async () => {
  for (const number of [1, 2, 3, 4])
    expect(await revoke(number)).toMatchObject({ status: 200, body: { number, revoked: 100 } });
  expect(reserveBytes()).toBeGreaterThanOrEqual(48 * 1024);
  expect(await install("one-more", await sized(100))).toBe(507);
});

test("A key of the owner is added, and removed", async () => {
  const [one, two] = [new Publisher().hex, new Publisher().hex];
  await overUsb(console, async (usb) => {
    for (const key of [one, two])
      expect(await usb.request("POST", "/api/keys/owner", { key })).toMatchObject({ status: 200 });
    expect(await usb.request("POST", "/api/keys/owner", { key: one, remove: "true" })).toMatchObject({
      status: 200,
      body: { keys: [{ key: two }] },
    });
  });
});

test("What the owner chooses for an app is stored", async () => {
  const params = { name: "hog-1", allowed: "true" };
  expect(await overUsb(console, (usb) => usb.request("POST", "/api/apps/background", params))).toMatchObject({
    status: 200,
  });
});

test("Firmware that brings other keys is tried and confirmed", async () => {
  const trustedKeys = publisher.pem + Array.from({ length: 20 }, () => new Publisher().pem).join("");
  const image = await firmwareImage({ version: "0.2.0", trustedKeys });
  const client = await OVER_HTTP.open(console);
  expect(await client.upload(bundleOf(image, publisher))).toMatchObject({ status: 200 });
  const from = console.stderr.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await console.started("update", from);
  expect(await askHttp(`${console.http}/api/ota/confirm`, { method: "POST" })).toMatchObject({ status: 200 });
  expect(readFileSync(path.join(console.state, "lfs/hub/trusted_keys.pem"), "utf8")).toBe(trustedKeys);
});

test("An app can be removed, and the reserve is whole again", async () => {
  expect(
    await askHttp(`${console.http}/api/apps/uninstall?name=a-90000-0`, { method: "POST" }),
  ).toMatchObject({ status: 200 });
  await expect.poll(reserveBytes).toBe(64 * 1024);
});
