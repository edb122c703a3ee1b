/** How one process starts, and what keeps it from starting (docs/spec/hub-api.md#configuration). */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, assert, beforeEach, describe, test } from "vitest";
import { openDatabase } from "../../../hub/database/open-database.js";
import { addPublisher } from "../../../hub/operator.js";
import { LAUNCHER } from "../../../tools/launcher.js";
import { isMissing } from "../../hosts/peers.js";
import { Publisher } from "../../hosts/publisher.js";
import { type Environment, HubDidNotStart, HubProcess } from "../hosts/hub-process.js";
import { request } from "../hosts/request.js";

const key = new Publisher();

let directory: string;
let storage: string;
const started: HubProcess[] = [];
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "hub-start-"));
  storage = path.join(directory, "storage");
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((hub) => hub.kill()));
  rmSync(directory, { recursive: true, force: true });
});

const environmentOf = (added: Environment): Environment => ({
  SVC_HUB_STORAGE_PATH: storage,
  SVC_HUB_HOST: "127.0.0.1",
  SVC_HUB_PORT: "0",
  ...added,
});

async function start(added: Environment = {}): Promise<HubProcess> {
  const hub = await HubProcess.start(environmentOf(added));
  started.push(hub);
  return hub;
}

/** How it ends that does not start. */
async function refusalOf(added: Environment): Promise<HubDidNotStart> {
  try {
    await start(added);
  } catch (error) {
    if (error instanceof HubDidNotStart) return error;
    throw error;
  }
  throw new Error("It has started");
}

test("an invalid setting ends the start with status 2, naming it, with nothing created", async () => {
  const { status, stderr } = await refusalOf({ SVC_HUB_PORT: "eighty" });
  assert.equal(status, 2);
  assert.equal(stderr.length, 1);
  assert.include(stderr[0], "SVC_HUB_PORT");
  assert.isFalse(existsSync(storage));
});

test("an address of another machine ends the start with status 2, naming it", async () => {
  const { status, stderr } = await refusalOf({ SVC_HUB_HOST: "192.0.2.1" });
  assert.equal(status, 2);
  assert.include(stderr.at(-1), "SVC_HUB_HOST");
});

test("a port in use ends the start with status 1, naming it", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const { status, stderr } = await refusalOf({ SVC_HUB_PORT: `${port}` });
  assert.equal(status, 1);
  assert.include(stderr.at(-1), `port ${port} (SVC_HUB_PORT)`);
  await new Promise((resolve) => other.close(resolve));
  await start({ SVC_HUB_PORT: `${port}` }); // nothing is held by the one that failed
});

test("a storage that cannot be created ends the start with a message", async () => {
  for (const nowhere of ["/dev/null/storage", "/proc/storage", "/proc/storage/hub"]) {
    const { status, stderr } = await refusalOf({ SVC_HUB_STORAGE_PATH: nowhere, SVC_HUB_SECRET: "s" });
    assert.equal(status, 1);
    assert.include(stderr.at(-1), path.dirname(nowhere));
  }
});

test("an unknown database or user ends the start at once, with the server's message", async (context) => {
  context.skip(isMissing("postgres"), "no postgres here");
  const { status, stderr } = await refusalOf({
    SVC_HUB_DATABASE_URL: "postgres://no-such-user@127.0.0.1:5432/nothing-there",
  });
  assert.equal(status, 1);
  assert.match(`${stderr.at(-1)}`, /no-such-user|nothing-there/);
});

test("a missing secret is created with mode 0600, reported once, and kept", async () => {
  const hub = await start();
  const file = path.join(storage, "secret");
  assert.include(hub.stderr[0], file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const secret = readFileSync(file, "utf8").trim();
  assert.isFalse(hub.stderr.some((line) => line.includes(secret)));
  const { body } = await request(hub.origin, "POST", "/accounts");
  await hub.stop();
  await hub.restart();
  assert.isFalse(hub.stderr.some((line) => line.includes("secret")));
  const { status } = await request(hub.origin, "GET", "/account/devices", { token: body.account_token });
  assert.equal(status, 200);
});

for (const signal of ["SIGTERM", "SIGINT"] as const)
  test(`${signal} ends the hub with status 0, with its database in one file`, async () => {
    const hub = await start();
    process.kill(hub.pid, signal);
    assert.equal(await hub.exited, 0);
    assert.isFalse(
      existsSync(path.join(storage, "hub.db-wal")) && statSync(path.join(storage, "hub.db-wal")).size > 0,
    );
  });

test("only its owner can read the database, also one that others could read", async () => {
  const hub = await start();
  const modes = () => ["hub.db", "hub.db-wal", "hub.db-shm"].map((name) => modeOf(path.join(storage, name)));
  await request(hub.origin, "POST", "/accounts");
  assert.deepEqual(modes(), [0o600, 0o600, 0o600]);
  await hub.stop();
  chmodSync(path.join(storage, "hub.db"), 0o644);
  await hub.restart();
  await request(hub.origin, "POST", "/accounts");
  assert.deepEqual(modes(), [0o600, 0o600, 0o600]);
});

test("an operator's commands see what a running hub has written", async () => {
  const hub = await start({ SVC_HUB_SECRET: "s" });
  for (let count = 1; count <= 3; count++) {
    await addPublisher({ SVC_HUB_STORAGE_PATH: storage, SVC_HUB_SECRET: "s" }, `${count}`, key.pem);
    assert.equal((await request(hub.origin, "POST", "/accounts")).status, 201);
    const { database } = await openDatabase({ databaseUrl: undefined, storagePath: storage });
    const accounts = await database.selectFrom("accounts").select("id").execute();
    await database.destroy();
    assert.equal(accounts.length, count);
  }
});

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

test("unknown variables are reported, and the hub starts", async () => {
  const hub = await start({ SVC_HUB_SECRET: "s", SVC_HUB_POTR: "80" });
  assert.equal(hub.stderr.filter((line) => /SVC_HUB_POTR/.test(line)).length, 1);
});

/** Makes a process end itself as soon as it would listen to that. */
const SIGTERM_AT_ONCE = `data:text/javascript,setInterval(()=>process.listenerCount('SIGTERM')&&process.kill(process.pid,'SIGTERM'),1)`;

test("SIGTERM during the start ends the hub with status 0", async () => {
  const { status } = await refusalOf({
    SVC_HUB_DATABASE_URL: "postgres://127.0.0.1:1/hub", // which it would wait for
    SVC_HUB_SECRET: "secret",
    NODE_OPTIONS: `--import=${SIGTERM_AT_ONCE}`,
  });
  assert.equal(status, 0);
});

describe.skipIf(isMissing("openssl"))("With SVC_HUB_TLS_CERT and SVC_HUB_TLS_KEY", () => {
  test("the hub serves TLS itself", async () => {
    const [key, certificate] = ["key.pem", "certificate.pem"].map((name) => path.join(directory, name));
    const names = ["-subj", "/CN=hub", "-addext", "subjectAltName=IP:127.0.0.1"];
    const args = ["req", "-x509", "-newkey", "ed25519", "-nodes", ...names, "-days", "2"];
    execFileSync("openssl", [...args, "-keyout", `${key}`, "-out", `${certificate}`], { stdio: "ignore" });
    const { origin } = await start({ SVC_HUB_TLS_CERT: `${certificate}`, SVC_HUB_TLS_KEY: `${key}` });
    assert.match(origin, /^https:/);
    const status = await new Promise((resolve, reject) => {
      httpsRequest(`${origin}/health/live`, { ca: readFileSync(`${certificate}`) }, (response) =>
        resolve(response.resume().statusCode),
      )
        .once("error", reject)
        .end();
    });
    assert.equal(status, 200);
  });
});

describe("npm run hub", () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [LAUNCHER, "hub/start.ts", ...args], {
      cwd: path.join(import.meta.dirname, "../../.."),
      encoding: "utf8",
      env: { ...process.env, ...environmentOf({}) },
    });

  test("with --help prints its usage, and starts no hub", () => {
    const { status, stdout, stderr } = run("--help");
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^usage: npm run hub\n.*docs\/hub\.md/);
    assert.isFalse(existsSync(storage));
  });

  test("with any other argument ends with status 2 and the usage, and starts no hub", () => {
    for (const args of [["--port", "9090"], ["9090"]]) {
      const { status, stdout, stderr } = run(...args);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, /^hub: .*(--port|9090).*usage: npm run hub/s);
      assert.isFalse(existsSync(storage));
    }
  });
});
