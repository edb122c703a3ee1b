/** `SVC_HUB_PORT=9090 npm run hub` and nothing else gives a working hub (docs/spec/hub-api.md#embedded). */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterEach, assert, beforeEach, test } from "vitest";
import { freePort } from "../hosts/own-server.js";
import { request } from "../hosts/request.js";

const root = path.join(import.meta.dirname, "../../..");
let storage: string;
let npm: ChildProcess;
let port: number;
let ready: { readonly url: string; readonly pid: number };

beforeEach(async () => {
  storage = mkdtempSync(path.join(tmpdir(), "hub-npm-"));
  port = await freePort();
  const env = {
    ...process.env,
    SVC_HUB_PORT: `${port}`,
    SVC_HUB_HOST: "127.0.0.1",
    SVC_HUB_STORAGE_PATH: storage,
  };
  npm = spawn("npm", ["run", "hub"], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  ready = await readyLine(npm);
});
afterEach(() => {
  npm.kill("SIGKILL");
  rmSync(storage, { recursive: true, force: true });
});

/** After npm's own output. */
async function readyLine({ stdout }: ChildProcess): Promise<typeof ready> {
  if (!stdout) throw new Error("Its output is not piped");
  for await (const line of createInterface(stdout)) if (line.startsWith("{")) return JSON.parse(line);
  throw new Error("It has ended");
}

const isThere = () => existsSync(`/proc/${ready.pid}`);
const gone = async () => {
  while (isThere()) await new Promise((resolve) => setTimeout(resolve, 20));
};

test("npm run hub serves at SVC_HUB_PORT, stores everything in its storage, and ends with npm", async () => {
  assert.equal(ready.url, `http://127.0.0.1:${port}`);
  const { status, body } = await request(ready.url, "GET", "//health/ready");
  assert.equal(status, 200);
  assert.equal(body.status, "ready");
  assert.equal((await request(ready.url, "POST", "/accounts")).status, 201);
  for (const name of ["hub.db", "secret", "files"]) assert.isTrue(existsSync(path.join(storage, name)));
  npm.kill("SIGTERM");
  await gone();
});

test("npm run hub ends after npm was killed", async () => {
  npm.kill("SIGKILL");
  await gone();
});
