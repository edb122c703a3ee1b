/**
 * Without a configured secret, the hub makes one once and keeps it private (docs/spec/hub-api.md#token-hash,
 * docs/hub.md).
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, assert, beforeEach, expect, test } from "vitest";
import { provideSecret } from "../../../../hub/config/provide-secret.js";
import { readConfig } from "../../../../hub/config/read-config.js";
import { ConfigError } from "../../../../hub/config/variables.js";

let directory: string;
let storage: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "hub-secret-"));
  storage = path.join(directory, "storage");
});
afterEach(() => rmSync(directory, { recursive: true }));

const quietly = () => {};

test("a secret is 32 random bytes in a file that only the owner can read", async () => {
  const secret = await provideSecret(storage, quietly);
  assert.equal(Buffer.from(secret, "base64url").length, 32);
  assert.equal(statSync(path.join(storage, "secret")).mode & 0o777, 0o600);
});

test("a secret is the same at the next start, and reported as created only at the first", async () => {
  const news: string[] = [];
  const secrets = [
    await provideSecret(storage, (text) => news.push(text)),
    await provideSecret(storage, (text) => news.push(text)),
  ];
  assert.equal(new Set(secrets).size, 1);
  assert.equal(news.length, 1);
  assert.include(news[0], path.join(storage, "secret"));
  assert.notInclude(news[0], secrets[0]);
});

test("processes that start at once agree on one secret, and leave one file", async () => {
  const news: string[] = [];
  const secrets = await Promise.all(
    Array.from({ length: 20 }, () => provideSecret(storage, (text) => news.push(text))),
  );
  assert.equal(new Set(secrets).size, 1);
  assert.equal(news.length, 1);
  assert.deepEqual(readdirSync(storage), ["secret"]);
  assert.equal(readFileSync(path.join(storage, "secret"), "utf8").trim(), secrets[0]);
});

test("no secret is created if the environment has one", async () => {
  await readConfig({ SVC_HUB_STORAGE_PATH: storage, SVC_HUB_SECRET: "given" });
  assert.throws(() => statSync(storage), "ENOENT");
});

test("an empty file is not a secret, and is not overwritten", async () => {
  mkdirSync(storage);
  writeFileSync(path.join(storage, "secret"), "\n");
  await expect(provideSecret(storage, quietly)).rejects.toThrow("it is empty");
  assert.equal(readFileSync(path.join(storage, "secret"), "utf8"), "\n");
});

test("where the secret cannot be stored, the error names the variable that would help", async () => {
  writeFileSync(storage, "a file");
  const refusal = provideSecret(storage, quietly);
  await expect(refusal).rejects.toThrow(ConfigError);
  await expect(refusal).rejects.toThrow("SVC_HUB_SECRET");
});
