/**
 * A list of revoked keys is accepted over WiFi and USB and persists over restarts (docs/spec/keys.md,
 * docs/spec/apps.md#revoked).
 */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeRevocationList } from "../../../protocol/keys/revocation-list.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { getJson } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { sendOverUsb } from "../../hosts/upload-clients.js";
import { UsbClient } from "../../hosts/usb-client.js";

const firmware = generateKeyPairSync("ed25519");
const pemOf = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ type: "spki", format: "pem" });
const bytesOf = ({ publicKey }: { publicKey: KeyObject }) =>
  Uint8Array.from(publicKey.export({ type: "spki", format: "der" }).subarray(-32));

function listOf(number: number, keys: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const list = writeRevocationList({
    number,
    keys,
    signer: bytesOf(firmware),
    sign: (message) => Uint8Array.from(sign(null, message, firmware.privateKey)),
  });
  return Uint8Array.from(list);
}

const [publisher, other] = [new Publisher(), new Publisher()];
let state: string;
let simulated: Console;

beforeAll(async () => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
  mkdirSync(path.join(state, "lfs/hub"), { recursive: true });
  const keys = `# roles: firmware\n${pemOf(firmware)}# roles: app\n${publisher.pem}# roles: app\n${other.pem}`;
  writeFileSync(path.join(state, "lfs/hub/trusted_keys.pem"), keys);
  simulated = await startConsole({ state });
});
afterAll(async () => {
  await simulated.stop();
  rmSync(state, { recursive: true, force: true });
});

const send = async (body: Uint8Array<ArrayBuffer>) => {
  const answer = await fetch(`${simulated.http}/api/keys/revocations`, { method: "POST", body });
  return { status: answer.status, body: (await answer.json()) as object };
};
const shown = () => getJson(`${simulated.http}/api/keys/revocations`);

const keyOf = ({ pem }: Publisher) =>
  Uint8Array.from(Buffer.from(pem.split("\n")[1] ?? "", "base64").subarray(-32));
const post = async (at: string) => (await fetch(`${simulated.http}${at}`, { method: "POST" })).status;
const stateOf = async (name: string) => {
  const list: { name: string; state: string }[] = await getJson(`${simulated.http}/api/apps/list`);
  return list.find((entry) => entry.name === name)?.state;
};

test("A list sent over HTTP takes effect at once and after a restart: it stops the publisher's apps and rejects them", async () => {
  const module = await moduleOf('(module (memory 1) (func (export "main") (loop $again (br $again))))');
  const file = packageOf(module);
  const signature = publisher.sign(file);
  const others = packageOf(module, { name: "others" });
  expect(await shown()).toEqual({ number: 0, revoked: 0 });
  expect((await installOverHttp(simulated, { file, signature })).status).toBe(200);
  expect((await installOverHttp(simulated, { file: others, signature: other.sign(others) })).status).toBe(
    200,
  );
  for (const name of ["tetris", "others"]) expect(await post(`/api/apps/start?name=${name}`)).toBe(200);
  const list = listOf(1, [keyOf(publisher)]);
  expect(await send(list)).toEqual({ status: 200, body: { number: 1, revoked: 1 } });
  expect(await send(list)).toEqual({ status: 200, body: { number: 1, revoked: 1 } });
  await expect.poll(() => stateOf("tetris")).toBe("stopped");
  expect(await stateOf("others")).toBe("running");
  expect(await post("/api/apps/start?name=tetris")).toBe(403);
  expect((await installOverHttp(simulated, { file, signature })).status).toBe(403);
  await simulated.stop();
  simulated = await startConsole({ state });
  expect(await shown()).toEqual({ number: 1, revoked: 1 });
  expect(await post("/api/apps/start?name=tetris")).toBe(403);
  expect(await post("/api/apps/start?name=others")).toBe(200);
  expect((await installOverHttp(simulated, { file, signature })).status).toBe(403);
});

test("A list of 128 keys is accepted over USB in chunks", async () => {
  const random = Array.from({ length: 127 }, () => bytesOf(generateKeyPairSync("ed25519")));
  const list = listOf(2, [...random, keyOf(publisher)]);
  const usb = await UsbClient.open(simulated.usb);
  try {
    const upload = { path: "/api/keys/revocations", file: list };
    const { status, body } = await sendOverUsb(usb, upload, 2048);
    expect({ status, body }).toEqual({ status: 200, body: { number: 2, revoked: 128 } });
  } finally {
    await usb.close();
  }
});

test("An older list, a list that revokes the last firmware key, and an invalid file are rejected", async () => {
  expect(await send(listOf(1, []))).toMatchObject({ status: 409, body: { error: "revocations_older" } });
  const last = await send(listOf(9, [bytesOf(firmware)]));
  expect(last).toMatchObject({ status: 422, body: { error: "revocations_invalid" } });
  expect(await send(Uint8Array.of(1, 2, 3))).toMatchObject({ status: 422 });
  expect(await shown()).toEqual({ number: 2, revoked: 128 });
});
