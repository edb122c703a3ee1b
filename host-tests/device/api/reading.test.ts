/**
 * GET reads, POST changes (docs/spec/management-api.md#get-reads): no GET or HEAD of any endpoint changes the console's
 * state, for any parameters and any caller but the owner's `GET /api/cmd`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../../device/services/api/endpoints.js";
import { COMMANDS } from "../../../device/services/shell/commands.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { askHttp, askShell, getJson } from "../../hosts/http-client.js";
import { overUsb } from "../../hosts/usb-client.js";

const HUB = "http://127.0.0.1:9"; // nothing listens there
let state: string;
let console: AppConsole;
let token: string;

beforeAll(async () => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
  console = await startAppConsole({ state, flags: ["--hub", HUB] });
  const file = packageOf(await moduleOf('(module (memory (export "memory") 1) (func (export "main")))'), {});
  await installOverHttp(console, { file, signature: console.publisher.sign(file) });
  token = await overUsb(console, async (usb) => (await usb.request("GET", "/api/auth/token")).body.token);
});
afterAll(async () => {
  await console?.stop();
  rmSync(state, { recursive: true, force: true });
});

/** Stored files and reported state, without clock, memory figures and log. */
async function keptAndShown() {
  const ask = (at: string) => getJson(`${console.http}${at}`);
  const [{ fw_version, wifi_ip }, system] = await Promise.all([ask("/api/status"), ask("/api/system")]);
  const { name, mac, firmware, reset_reason, features } = system;
  const shown = { fw_version, wifi_ip, name, mac, firmware, reset_reason, features };
  const level = await askShell(console.http, "log level");
  const { url } = await ask("/api/hub");
  return {
    shown,
    level,
    url,
    apps: await ask("/api/apps/list"),
    ota: await ask("/api/ota/status"),
    files: kept(),
  };
}

function kept(): Record<string, string> {
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => path.join(parentPath, name));
  return Object.fromEntries(paths.filter(isKept).map((at) => [at, readFileSync(at).toString("base64")]));
}

/** Excludes retained memory, which holds the end of the log. */
const isKept = (file: string) => !file.includes("retained");

/** A valid value for every parameter of any endpoint, with an effect if the request were a POST. */
const EVERYTHING = new URLSearchParams({
  c: "reboot",
  name: "tetris",
  url: "http://127.0.0.1:8",
  pressed: "16",
  enabled: "false",
  reboot: "true",
  ssid: "network",
  password: "password",
  forget: "true",
  downgrade: "true",
  same_hub: "true",
  key: "58".repeat(32),
});

/** The owner's GET runs any command. */
const isNotShell = (at: string) => at !== "/api/cmd";

const paths = [...new Set(ENDPOINTS.map((row) => row.path))];

for (const method of ["GET", "HEAD"])
  for (const who of ["without a token", "with the token"])
    test(`${method} of every path changes nothing, requested by ${who}`, async () => {
      const before = await keptAndShown();
      expect(Object.keys(before.files).length).toBeGreaterThan(3);
      const headers: Record<string, string> =
        who === "without a token" ? {} : { authorization: `Bearer ${token}` };
      const read = who === "with the token" && method === "GET" ? paths.filter(isNotShell) : paths;
      for (const at of read) await fetch(`${console.http}${at}?${EVERYTHING}`, { method, headers });
      expect(await keptAndShown()).toEqual(before);
    });

describe("GET /api/cmd", () => {
  const LINES: Readonly<Record<string, string>> = {
    "log level": "log level debug",
    "app install": "app install /lfs/x",
    "hub set": 'hub set ""',
    "app start": "app start tetris",
    "app stop": "app stop tetris",
    "app uninstall": "app uninstall tetris",
  };
  const changing = COMMANDS.filter(({ isReading }) => isReading !== true);

  for (const method of ["GET", "HEAD"])
    test(`${method} of each command that changes something is 403 and changes nothing`, async () => {
      const before = await keptAndShown();
      for (const { name } of changing) {
        const asked = new URLSearchParams({ c: LINES[name] ?? name });
        const answer = await fetch(`${console.http}/api/cmd?${asked}`, { method });
        const text = await answer.text();
        expect([name, answer.status]).toEqual([name, 403]);
        if (method === "GET") expect(JSON.parse(text).error).toBe("needs_post");
      }
      expect(await keptAndShown()).toEqual(before);
    });

  test("over USB, and over HTTP with the bearer token, GET runs a command that changes something, and HEAD does not", async () => {
    const asked = (c: string) => `${console.http}/api/cmd?${new URLSearchParams({ c })}`;
    const headers = { authorization: `Bearer ${token}` };
    await overUsb(console, async (usb) => {
      const taken = await usb.request("GET", "/api/cmd", { c: "log level debug" });
      expect(taken).toMatchObject({ status: 200, body: { output: "debug\n" } });
    });
    expect((await fetch(asked("log level error"), { method: "HEAD", headers })).status).toBe(403);
    expect(await askShell(console.http, "log level")).toBe("debug\n");
    expect(await askHttp(asked("app start tetris"), { headers })).toMatchObject({
      status: 200,
      body: { output: "Started tetris.\n" },
    });
    expect(await askHttp(asked("log level info"), { headers })).toMatchObject({ status: 200 });
  });

  test("GET runs commands that only read", async () => {
    for (const line of ["help", "uptime", "log level", "app list", "ls /lfs"])
      expect(await askHttp(`${console.http}/api/cmd?${new URLSearchParams({ c: line })}`)).toMatchObject({
        status: 200,
        body: { output: expect.stringMatching(/./) },
      });
  });
});
