import { type ChildProcess, spawn } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LAUNCHER } from "../../../tools/launcher.js";
import { Publisher } from "../../hosts/publisher.js";

const root = path.join(import.meta.dirname, "../../..");
let state: string;

beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

interface Started {
  readonly process: ChildProcess;
  /** Everything on standard output and on standard error so far. */
  readonly output: { stdout: string; stderr: string };
  /** Settles with the first line on standard output, or with nothing when the process ends without one. */
  readonly ready: Promise<string | undefined>;
  readonly exited: Promise<number | null>;
}

const start = (...flags: string[]) => follow(process.execPath, LAUNCHER, "simulator/start.ts", ...flags);

/** Of no desktop, also where the tests run on one. */
const { DISPLAY: _, WAYLAND_DISPLAY: __, ...environment } = process.env;

function follow(command: string, ...parameters: string[]): Started {
  const process = spawn(command, parameters, { cwd: root, env: environment });
  const output = { stdout: "", stderr: "" };
  process.stderr.on("data", (bytes) => {
    output.stderr += bytes;
  });
  const exited = new Promise<number | null>((resolve) => process.once("close", resolve));
  const ready = new Promise<string | undefined>((resolve) => {
    process.stdout.on("data", (bytes) => {
      output.stdout += bytes;
      if (output.stdout.includes("\n")) resolve(output.stdout);
    });
    exited.then(() => resolve(undefined));
  });
  return { process, output, ready, exited };
}

const ports = ["--address", "127.0.0.1", "--http-port", "0", "--ws-port", "0", "--no-mdns"];
const quiet = (...flags: string[]) => start("--state", state, ...ports, ...flags);

test("npm start prints one JSON line on standard output, and ends with 0 at SIGTERM", async () => {
  const started = quiet("--mac", "02:00:00:00:1a:2b");
  const line = await started.ready;
  const ready = JSON.parse(line ?? "");
  expect(Object.keys(ready)).toEqual(["ready", "http", "ws", "usb", "name", "pid"]);
  expect(ready).toMatchObject({ ready: true, name: "Console-1A2B", usb: path.join(state, "usb") });
  expect(ready.http).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
  expect(ready.ws).toMatch(/^ws:\/\/127\.0\.0\.1:[1-9]\d+\/ws$/);
  const status = await fetch(`${ready.http}/api/status`);
  expect(await status.json()).toMatchObject({ fw_version: expect.any(String) });
  started.process.kill("SIGTERM");
  expect(await started.exited).toBe(0);
  expect(started.output.stdout).toBe(line);
  expect(existsSync(`/proc/${ready.pid}`)).toBe(false);
});

test("npm start prints the address of the web console once on standard error, and serves it there", async () => {
  const started = quiet();
  const { http } = JSON.parse((await started.ready) ?? "");
  const page = await fetch(`${http}/`);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(await page.text()).toMatch(/^<!doctype html>/i);
  started.process.kill("SIGTERM");
  expect(await started.exited).toBe(0);
  expect(started.output.stderr.match(/^console: web console at .*$/gm)).toEqual([
    `console: web console at ${http}/`,
  ]);
});

// docs/spec/simulated-console.md#window-missing
test("npm start --window without a desktop gives the reason and the address of the panel Screen", async () => {
  const started = quiet("--window");
  const { http } = JSON.parse((await started.ready) ?? "");
  expect((await fetch(`${http}/api/status`)).status).toBe(200);
  started.process.kill("SIGTERM");
  expect(await started.exited).toBe(0);
  expect(started.output.stderr).toMatch(/^console: no window: neither DISPLAY nor WAYLAND_DISPLAY names a /m);
  expect(started.output.stderr).toContain(`console: web console at ${http}/#screen\n`);
});

test("npm start keeps running when its standard output is closed", async () => {
  const started = quiet();
  const { http } = JSON.parse((await started.ready) ?? "");
  started.process.stdout?.destroy();
  expect((await fetch(`${http}/api/reboot`, { method: "POST" })).status).toBe(200);
  await expect
    .poll(() => fetch(`${http}/api/system`).then((answer) => answer.json(), String), { timeout: 20_000 })
    .toMatchObject({ reset_reason: "software" });
  started.process.kill("SIGTERM");
  expect(await started.exited).toBe(0);
});

test("the first start creates and trusts a development key pair; a second one keeps it", async () => {
  const first = quiet();
  await first.ready;
  first.process.kill("SIGINT");
  expect(await first.exited).toBe(0);
  const publicKey = readFileSync(path.join(state, "keys/publisher.pub.pem"), "utf8");
  expect(createPublicKey(publicKey).asymmetricKeyType).toBe("ed25519");
  expect(statSync(path.join(state, "keys/publisher.pem")).mode & 0o777).toBe(0o600);
  expect(readFileSync(path.join(state, "lfs/hub/trusted_keys.pem"), "utf8")).toBe(publicKey);
  expect(first.output.stderr).toMatch(/trusting the development key .*publisher\.pub\.pem/);
  const second = quiet();
  await second.ready;
  second.process.kill("SIGTERM");
  await second.exited;
  expect(second.output.stderr).not.toContain("development key");
  expect(readFileSync(path.join(state, "keys/publisher.pub.pem"), "utf8")).toBe(publicKey);
});

test("--trusted-keys installs the file once, creates no development keys, and keeps keys installed later", async () => {
  const file = path.join(state, "mine.pem");
  const trusted = path.join(state, "lfs/hub/trusted_keys.pem");
  const trustedAfterStart = async () => {
    const started = quiet("--trusted-keys", file);
    await started.ready;
    started.process.kill("SIGTERM");
    await started.exited;
    return readFileSync(trusted, "utf8");
  };
  const { pem: mine } = new Publisher();
  writeFileSync(file, mine);
  expect(await trustedAfterStart()).toBe(mine);
  expect(existsSync(path.join(state, "keys"))).toBe(false);
  const { pem: ofFirmware } = new Publisher();
  writeFileSync(trusted, ofFirmware);
  expect(await trustedAfterStart()).toBe(ofFirmware);
});

test("--trusted-keys with a missing file or one without keys ends with status 2", async () => {
  writeFileSync(path.join(state, "empty.pem"), "nothing here\n");
  for (const name of ["empty.pem", "missing.pem"]) {
    const started = quiet("--trusted-keys", path.join(state, name));
    expect(await started.exited).toBe(2);
    expect(started.output.stderr).toContain(name);
  }
});

test("an unknown flag ends with status 2 and the usage, and creates no state", async () => {
  const elsewhere = path.join(state, "elsewhere");
  const started = start("--state", elsewhere, "--no-such-flag");
  expect(await started.exited).toBe(2);
  expect(started.output.stderr).toContain("usage: npm start");
  expect(started.output.stdout).toBe("");
  expect(existsSync(elsewhere)).toBe(false);
});

test("--help prints the flags on standard output, and creates no state", async () => {
  const elsewhere = path.join(state, "elsewhere");
  const started = start("--state", elsewhere, "--help");
  expect(await started.exited).toBe(0);
  expect(started.output.stdout).toContain("--config NAME=VALUE");
  expect(existsSync(elsewhere)).toBe(false);
});

test("an unknown build option ends with status 2 and its name", async () => {
  const started = quiet("--config", "CONFIG_SVC_NO_SUCH_THING=1");
  expect(await started.exited).toBe(2);
  expect(started.output.stderr).toContain("CONFIG_SVC_NO_SUCH_THING");
});

test("an abbreviated flag, or one internal to the launcher, is rejected with status 2", async () => {
  for (const flag of ["--stat", "--image=x", "--check", "--die-with-parent", "--window-program"]) {
    const started = quiet(flag, state);
    expect([flag, await started.exited]).toEqual([flag, 2]);
    expect(started.output.stderr).toContain("unrecognized option");
  }
});

test("an invalid value of a flag is rejected with status 2 and named", async () => {
  const flags = [
    ["--sd", path.join(state, "missing")],
    ["--usb-drive", path.join(root, "package.json")],
    ["--hub", "nowhere"],
    ["--mac", "01:00:5e:00:00:01"],
  ];
  for (const [flag, value] of flags) {
    const started = quiet(flag as string, value as string);
    expect([flag, await started.exited]).toEqual([flag, 2]);
    expect(started.output.stderr).toContain(`"${value}"`);
  }
});

test("a rejected start does not count as a crash", async () => {
  expect(await quiet("--log-level", "loud").exited).toBe(2);
  const started = quiet();
  await started.ready;
  started.process.kill();
  await started.exited;
  expect(started.output.stderr).toContain("reset reason is power_on");
});

for (const signal of ["SIGTERM", "SIGKILL"] as const)
  test(`the console ends when npm start gets ${signal}`, async () => {
    const started = follow("npm", "start", "--silent", "--", "--state", state, ...ports);
    const { pid } = JSON.parse((await started.ready) ?? "");
    started.process.kill(signal);
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });
