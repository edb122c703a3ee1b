/**
 * Every endpoint over both transports: the same request gets the same status and the same body, and an endpoint of one
 * transport is 404 on the other, with the reason (docs/spec/management-api.md#one-table).
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../../device/services/api/endpoints.js";
import { boardUnderTest, isBoard } from "../../hosts/board.js";
import { askHttp } from "../../hosts/http-client.js";
import { BOARD } from "../../hosts/moddable.js";
import { type Console, startConsole, usualVariant } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";

interface Case {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters?: Record<string, string>;
}

/** Requests whose answers depend neither on time nor on transport. */
const CASES: readonly Case[] = [
  { name: "status", method: "GET", path: "/api/status" },
  { name: "system", method: "GET", path: "/api/system" },
  { name: "a command", method: "GET", path: "/api/cmd", parameters: { c: "help" } },
  { name: "a command with quotes", method: "GET", path: "/api/cmd", parameters: { c: 'ls "/lfs"' } },
  { name: "an unknown command", method: "GET", path: "/api/cmd", parameters: { c: "fly me" } },
  { name: "a command in other scripts", method: "GET", path: "/api/cmd", parameters: { c: "größe 😀" } },
  { name: "a missing command", method: "GET", path: "/api/cmd" },
  {
    name: "a command with a forbidden path",
    method: "GET",
    path: "/api/cmd",
    parameters: { c: "cat /etc/passwd" },
  },
  { name: "the list of apps", method: "GET", path: "/api/apps/list" },
  { name: "the icon of no app", method: "GET", path: "/api/apps/icon" },
  { name: "the icon of an unknown app", method: "GET", path: "/api/apps/icon", parameters: { name: "x" } },
  { name: "the start of no app", method: "POST", path: "/api/apps/start" },
  { name: "the start of an unknown app", method: "POST", path: "/api/apps/start", parameters: { name: "x" } },
  { name: "the stop of an unknown app", method: "POST", path: "/api/apps/stop", parameters: { name: "x" } },
  {
    name: "the uninstall of an unknown app",
    method: "POST",
    path: "/api/apps/uninstall",
    parameters: { name: "x" },
  },
  {
    name: "a chunk beyond the total",
    method: "POST",
    path: "/api/apps/install",
    parameters: { chunk: "3", total: "2" },
  },
  { name: "valid buttons", method: "POST", path: "/api/buttons", parameters: { pressed: "16" } },
  {
    name: "unknown buttons",
    method: "POST",
    path: "/api/buttons",
    parameters: { pressed: "1024" },
  },
  { name: "a log stream request without a value", method: "POST", path: "/api/logs/stream" },
  { name: "an unknown path", method: "GET", path: "/api/nothing" },
  { name: "a path outside the API", method: "GET", path: "/nothing" },
  { name: "the wrong verb", method: "POST", path: "/api/status" },
  { name: "an unknown method", method: "BREW", path: "/api/status" },
];

/** Parameters for every endpoint; both transports reject chunk 0. */
const ANY = { c: "ls", chunk: "0", total: "1" };

/** They restart the console, or differ because only its owner may ask (host-tests/device/home/settings.test.ts). */
const APART = ["POST /api/reboot", "POST /api/factory-reset", "POST /api/settings"];

/** Fields that are measured for each answer, and the picture of the home screen, which shows some of them. */
const MEASURED =
  /"(uptime_ms|free_heap_bytes|free_bytes|minimum_free_bytes|load_percent)":[0-9]+|"(png)":"[^"]+"/g;
const masked = (body: unknown) => JSON.parse(JSON.stringify(body).replace(MEASURED, '"$1$2":0'));

let simulated: Console;
let usb: UsbClient;
let token: string;

beforeAll(async () => {
  simulated = await startConsole({});
  usb = await UsbClient.open(simulated.usb);
  token = (await usb.request("GET", "/api/auth/token")).body.token;
});
afterAll(async () => {
  await usb.close();
  await simulated.stop();
});

/** Answers in the form of USB, for comparison. */
async function overHttp({ method, path, parameters }: Case) {
  const address = `${simulated.http}${path}?${new URLSearchParams(parameters)}`;
  const field = method === "GET" ? BYTES[path.slice(path.lastIndexOf("/"))] : undefined;
  if (field !== undefined) return bytesOverHttp(address, field);
  if (PAGE_PATHS.has(path)) return pageOverHttp(address);
  return askHttp(address, { method, headers: { authorization: `Bearer ${token}` } }); // as the owner, as over the cable
}

/** Paths whose answers are not JSON. */
const PAGE_PATHS = new Set(["/", "/console.js", "/panels.js"]);

/** Names of the members that have an endpoint's bytes in base64 over USB. */
const BYTES: Readonly<Record<string, string>> = { "/screen": "png", "/sound": "wav" };

async function bytesOverHttp(address: string, field: string) {
  const answer = await fetch(address);
  const isRefused = answer.headers.get("content-type") === "application/json";
  if (isRefused) return { status: answer.status, body: await answer.json() };
  return {
    status: answer.status,
    body: { [field]: Buffer.from(await answer.arrayBuffer()).toString("base64") },
  };
}

async function pageOverHttp(address: string) {
  const answer = await fetch(address);
  return { status: answer.status, body: { page: await answer.text() } };
}

async function overUsb({ method, path, parameters }: Case) {
  const { status, body } = await usb.request(method, path, parameters);
  return { status, body };
}

describe("HTTP and USB answer alike:", () => {
  for (const asked of CASES)
    test(asked.name, async () => {
      const [http, line] = [await overHttp(asked), await overUsb(asked)];
      if (asked.path === "/api/logs/stream") return expect([http.status, line.status]).toEqual([404, 400]);
      expect(masked(http)).toEqual(masked(line));
    });

  for (const { method, path, transport } of ENDPOINTS.filter(
    (row) => !APART.includes(`${row.method} ${row.path}`),
  ))
    test(`${method} ${path} below /api/v1 (or 404 on one transport if the endpoint is for the other)`, async () => {
      const asked = { name: "", method, path: path.replace("/api/", "/api/v1/"), parameters: ANY };
      const [http, line] = [await overHttp(asked), await overUsb(asked)];
      if (transport === "http") {
        expect(line).toMatchObject({ status: 404, body: { error: "wifi_only" } });
        expect(http.body).not.toMatchObject({ error: expect.stringMatching(/^(not_found|wifi_only)$/) });
      } else if (transport === "usb")
        expect(http).toMatchObject({ status: 404, body: { error: "usb_only" } });
      else expect(masked(http)).toEqual(masked(line));
    });
});

describe("GET /api/status", () => {
  // docs/spec/management-api.md#status
  test("returns exactly the seven status fields", async () => {
    const { body } = await overHttp({ name: "", method: "GET", path: "/api/status" });
    expect(Object.keys(body).sort()).toEqual(
      ["bt_mode", "codename", "free_heap_bytes", "fw_version", "uptime_ms", "wifi_ip", "wifi_rssi"].sort(),
    );
    expect(body).toMatchObject({ fw_version: expect.stringMatching(/^\d+\.\d+\.\d+$/), bt_mode: "off" });
    expect(Number.isInteger(body.uptime_ms) && Number.isInteger(body.free_heap_bytes)).toBe(true);
    expect(body.free_heap_bytes).toBeGreaterThan(0);
  });
});

describe("GET /api/system", () => {
  test("returns name, MAC, limits and measurements", async () => {
    const { body } = await overHttp({ name: "", method: "GET", path: "/api/system" });
    expect(body).toMatchObject({
      name: simulated.name,
      board: BOARD,
      arch: boardUnderTest?.architecture ?? "native",
      mac: expect.stringMatching(/^([0-9A-F]{2}:){5}[0-9A-F]{2}$/),
      firmware: { slot: "a", state: "confirmed" },
      reset_reason: "power_on",
      // Another port of this machine leads to that of an emulated board.
      http_port: isBoard ? expect.any(Number) : Number(new URL(simulated.http).port),
      ws_port: isBoard ? expect.any(Number) : Number(new URL(simulated.ws).port),
      limits: {
        line_bytes: 1024,
        chunk_line_bytes: 5120,
        chunk_bytes: 3072,
        suggested_chunk_bytes: 2048,
        app_bytes: 1048576,
        running_apps: 4,
        script_quota_bytes: 262144,
      },
    });
    // What hardware there is differs from board to board.
    const hardware = isBoard
      ? ["sd", "usb_drive", "tls", "setup_ap", "sound", "bluetooth"].filter((feature) =>
          body.features.includes(feature),
        )
      : ["sd", "usb_drive", ...(usualVariant === "m32" ? [] : ["tls"]), "setup_ap", "sound", "bluetooth"];
    expect(body.features).toEqual(["apps", "ota", "screen", "hub", "shell", ...hardware]);
    expect(body.name).toBe(`Console-${body.mac.replaceAll(":", "").slice(-4)}`);
    expect(body.heap.free_bytes).toBeLessThan(body.heap.total_bytes);
    expect(body.heap.minimum_free_bytes).toBeLessThanOrEqual(body.heap.free_bytes);
    expect(body.cpu.load_percent).toBeGreaterThanOrEqual(0);
  });
});
