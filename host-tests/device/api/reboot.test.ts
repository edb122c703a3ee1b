/**
 * A reboot through the API, over HTTP and over USB, keeps the console's state (docs/spec/management-api.md#reboot).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";

let simulated: Console;
let usb: UsbClient;

beforeEach(async () => {
  simulated = await startConsole({});
  usb = await UsbClient.open(simulated.usb);
});
afterEach(async () => {
  await usb.close();
  await simulated.stop();
});

const get = (path: string) => getJson(`${simulated.http}${path}`);

/** Polls the status until a run that began after `began` answers. */
async function backSince(began: number): Promise<void> {
  for (let isBack = false; !isBack; ) {
    const status = await get("/api/status").catch(() => undefined);
    isBack = status !== undefined && status.uptime_ms < performance.now() - began;
  }
}

async function rebootOverHttp(): Promise<void> {
  const began = performance.now();
  const answer = await askHttp(`${simulated.http}/api/reboot`, { method: "POST" });
  expect(answer).toEqual({ status: 200, body: { rebooting: true } });
  await backSince(began);
}

test("the answer to POST /api/reboot closes its connection", async () => {
  const { headers } = await fetch(`${simulated.http}/api/reboot`, { method: "POST" });
  expect(headers.get("connection")).toBe("close");
});

describe("after POST /api/reboot the console", () => {
  test("is available at the same address, with a new uptime", rebootOverHttp);

  test("keeps its name, MAC, token and log level, and reports reset reason software", async () => {
    const token = (await usb.request("GET", "/api/auth/token")).body.token;
    await fetch(`${simulated.http}/api/cmd?c=log+level+debug`, { method: "POST" });
    const { name, mac } = await get("/api/system");
    await rebootOverHttp();
    expect(await get("/api/system")).toMatchObject({ name, mac, reset_reason: "software" });
    expect((await get("/api/cmd?c=log+level")).output).toBe("debug\n");
    expect((await usb.request("GET", "/api/auth/token")).body.token).toBe(token);
  });

  test("shows the log of the previous run first, followed by an end marker", async () => {
    await fetch(`${simulated.http}/api/cmd?c=log+level+info`, { method: "POST" });
    await rebootOverHttp();
    const { lines } = await get("/api/logs");
    const end = lines.findIndex((line: string) => line.endsWith("boot: previous run ended here"));
    // Not the last line: a service may write one while the answer is sent.
    expect(lines.slice(0, end).join("\n")).toMatch(/boot: rebooting on request$/m);
    expect(lines.slice(end).join("\n")).toMatch(/reset reason is software/);
  });
});

test("a reboot request over USB is answered before the reboot", async () => {
  const began = performance.now();
  expect(await usb.request("POST", "/api/reboot")).toMatchObject({ status: 200, body: { rebooting: true } });
  await backSince(began);
});

test("a console without a loader refuses to restart into one, and goes on", async () => {
  const path = "/api/reboot/loader";
  expect(await usb.request("POST", path)).toMatchObject({ status: 501, body: { error: "not_implemented" } });
  expect(await askHttp(`${simulated.http}${path}`, { method: "POST" })).toMatchObject({
    status: 404,
    body: { error: "usb_only" },
  });
  expect((await get("/api/system")).reset_reason).toBe("power_on");
});

test("a killed console reports reset reason crash and keeps its last log line", async () => {
  const state = mkdtempSync(join(tmpdir(), "console-"));
  const first = await startConsole({ state });
  const { lines: before } = await getJson(`${first.http}/api/logs`);
  await first.kill();
  const second = await startConsole({ state });
  const system = await getJson(`${second.http}/api/system`);
  const { lines } = await getJson(`${second.http}/api/logs`);
  await second.stop();
  rmSync(state, { recursive: true });
  expect(system.reset_reason).toBe("crash");
  expect(lines).toContain(before.at(-1));
});
