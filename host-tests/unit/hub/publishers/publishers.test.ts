/** Publishers and their keys, in the database that a hub has without any settings. */
import { generateKeyPairSync } from "node:crypto";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { addPublisher, withPublishers } from "../../../../hub/operator.js";
import type { Publishers } from "../../../../hub/publishers/publishers.js";
import { Publisher } from "../../../hosts/publisher.js";
import { temporaryDirectory } from "../../../hosts/simulator-program.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

const key = new Publisher();
const second = new Publisher();

let environment: Readonly<Record<string, string>>;
let count = 0;
beforeEach(() => {
  environment = {
    SVC_HUB_STORAGE_PATH: path.join(temporary.path, String(count++)),
    SVC_HUB_SECRET: "secret",
  };
});

const publishers = <Result>(use: (all: Publishers) => Promise<Result>) => withPublishers(environment, use);

const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({
  type: "spki",
  format: "pem",
});
const BAD_KEYS = [
  { name: "A private key", pem: key.privatePem, says: "it holds a PRIVATE KEY" },
  { name: "A key of another type", pem: p256.toString(), says: "not an Ed25519 key" },
  { name: "A file with two keys", pem: key.pem + second.pem, says: "more than one" },
  { name: "A file without a key", pem: "hello", says: "no PEM block" },
  { name: "An empty file", pem: "", says: "no PEM block" },
  { name: "Half a key", pem: key.pem.slice(0, 60), says: "does not end" },
  { name: "A key for which anybody can forge signatures", pem: weakPem(), says: "small order" },
];
for (const { name, pem, says } of BAD_KEYS)
  test(`${name} is rejected as keys_invalid, and adds no publisher`, async () => {
    const refused = expect.objectContaining({ code: "keys_invalid", message: expect.stringContaining(says) });
    await expect(addPublisher(environment, "Ada", pem)).rejects.toEqual(refused);
    expect(await publishers((all) => all.list())).toEqual([]);
  });

const BAD_NAMES = ["", " Ada", "Ada ", "A\nda", "A\u001b[2Jda", "x".repeat(65)];
for (const name of BAD_NAMES)
  test(`${JSON.stringify(name.slice(0, 10))} cannot be a publisher's name`, async () =>
    await expect(addPublisher(environment, name, key.pem)).rejects.toMatchObject({ code: "bad_parameter" }));

test("Names may have 64 characters of any script, with spaces between them", async () => {
  const name = `Ä ${"🎮".repeat(62)}`;
  await addPublisher(environment, name, key.pem);
  expect(await publishers((all) => all.list())).toMatchObject([{ name }]);
});

const REFUSED: readonly (readonly [code: string, use: (all: Publishers) => Promise<unknown>])[] = [
  ["publisher_exists", (all) => all.add("Ada", second.pem)],
  ["publisher_not_found", (all) => all.revoke("Unknown")],
  ["publisher_not_found", (all) => all.keys.add("Unknown", second.pem)],
  ["key_exists", (all) => all.keys.add("Ada", key.pem)],
  ["publisher_not_found", (all) => all.keys.list("Unknown")],
  ["publisher_not_found", (all) => all.keys.revoke("Unknown", "x")],
  ["key_not_found", (all) => all.keys.revoke("Ada", "x")],
];
for (const [index, [code, use]] of REFUSED.entries())
  test(`Invalid input is rejected as ${code}, and changes nothing (${index + 1})`, async () => {
    await addPublisher(environment, "Ada", key.pem);
    const before = await publishers((all) => Promise.all([all.list(), all.keys.list("Ada")]));
    await expect(publishers(use)).rejects.toMatchObject({ code });
    expect(await publishers((all) => Promise.all([all.list(), all.keys.list("Ada")]))).toEqual(before);
  });

test("The name of a revoked publisher and a revoked key cannot be used again", async () => {
  await addPublisher(environment, "Ada", key.pem);
  await publishers(async (all) => {
    const [{ key_id: keyId } = { key_id: "" }] = await all.keys.list("Ada");
    await all.keys.revoke("Ada", keyId);
    await all.revoke("Ada");
  });
  await expect(addPublisher(environment, "Ada", second.pem)).rejects.toMatchObject({
    code: "publisher_exists",
  });
  const again = publishers((all) => all.keys.add("Ada", key.pem));
  await expect(again).rejects.toMatchObject({ code: "key_exists" });
});

test("A publisher cannot revoke a key of another publisher", async () => {
  await addPublisher(environment, "Ada", key.pem);
  await addPublisher(environment, "Bob", second.pem);
  await publishers(async (all) => {
    const [{ key_id: keyId } = { key_id: "" }] = await all.keys.list("Bob");
    await expect(all.keys.revoke("Ada", keyId)).rejects.toMatchObject({ code: "key_not_found" });
    expect(await all.keys.list("Bob")).toMatchObject([{ revoked_at: null }]);
  });
});

test("Of two concurrent requests for one name, one succeeds", async () => {
  await addPublisher(environment, "Bob", new Publisher().pem); // makes the database, for which both would wait in one thread
  const ends = await Promise.allSettled(
    [key, second].map(({ pem }) => addPublisher(environment, "Ada", pem)),
  );
  expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(await publishers((all) => all.keys.list("Ada"))).toHaveLength(1);
});

/** The neutral element of the curve, under which forged signatures verify. */
function weakPem(): string {
  const prefix = Buffer.from("302a300506032b6570032100", "hex");
  const base64 = Buffer.concat([prefix, Uint8Array.of(1, ...new Uint8Array(31))]).toString("base64");
  return `-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----\n`;
}
