/**
 * Benchmark of the simulated console against its budgets: boot time, requests per second beside a bare Node server
 * that sends the same bytes, and idle CPU.
 */
import { readFileSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Console, startConsole } from "../hosts/simulator.js";
import { UsbClient } from "../hosts/usb-client.js";
import { type Load, load } from "./http-load.js";
import { inRound } from "./round.js";
import type { AddRow } from "./row.js";

const BOOTS = inRound({ full: 10, short: 2 });
const LOAD_SECONDS = inRound({ full: 4, short: 0.5 });
const IDLE_SECONDS = inRound({ full: 10, short: 1 });
const USB_REQUESTS = inRound({ full: 2000, short: 100 });
const CLOCK_TICKS_PER_SECOND = 100;

/** Returns the milliseconds from the start of the process to its `ready` line; the median of several boots. */
async function bootMs(): Promise<number> {
  const times: number[] = [];
  for (let boot = 0; boot < BOOTS; boot += 1) {
    const began = performance.now();
    const booted = await startConsole({});
    times.push(performance.now() - began);
    await booted.stop();
  }
  return times.sort((a, b) => a - b)[BOOTS >> 1] as number;
}

/** Returns the CPU use of the idle process, in percent of one core. */
async function idleCpuPercent(pid: number): Promise<number> {
  const before = cpuTicks(pid);
  await wait(IDLE_SECONDS * 1000);
  return ((cpuTicks(pid) - before) / CLOCK_TICKS_PER_SECOND / IDLE_SECONDS) * 100;
}

function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/** Measures Node's own server with the same answer and the same client. */
async function loadOnNode(answer: string, connections: number): Promise<Load> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.setHeader("content-length", Buffer.byteLength(answer));
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const measured = await load(`http://127.0.0.1:${port}/`, connections, LOAD_SECONDS);
  server.close();
  return measured;
}

/** Returns the body of a `GET` over a new connection, so that none of the eight connections stays occupied. */
function textOf(address: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(address, { agent: false }, async (answer) => {
      let text = "";
      for await (const bytes of answer) text += bytes;
      resolve(text);
    }).on("error", reject);
  });
}

async function measureLoad(console: Console, row: AddRow): Promise<void> {
  const status = await textOf(`${console.http}/api/status`);
  for (const connections of [1, 8]) {
    const ours = await load(`${console.http}/api/status`, connections, LOAD_SECONDS);
    const nodes = await loadOnNode(status, connections);
    const ratio = (ours.requestsPerSecond / nodes.requestsPerSecond).toFixed(2);
    row(
      `GET /api/status, ${connections} connection${connections > 1 ? "s" : ""}`,
      `${Math.round(ours.requestsPerSecond)} /s, p99 ${ours.p99Ms.toFixed(2)} ms; ${ratio} × node:http`,
      connections === 1 ? "≥ 5000 /s" : "",
    );
  }
}

async function measureUsb(console: Console, row: AddRow): Promise<void> {
  const usb = await UsbClient.open(console.usb);
  await usb.request("GET", "/api/status");
  const began = performance.now();
  for (let request = 0; request < USB_REQUESTS; request += 1) await usb.request("GET", "/api/status");
  row("GET /api/status over USB", `${Math.round((USB_REQUESTS * 1000) / (performance.now() - began))} /s`);
  await usb.close();
}

export default async function measure(row: AddRow): Promise<void> {
  row("boot to ready", `${(await bootMs()).toFixed(0)} ms`, "≤ 250 ms");
  const running = await startConsole({});
  await measureLoad(running, row);
  await measureUsb(running, row);
  row("idle CPU", `${(await idleCpuPercent(running.pid)).toFixed(2)} % of a core`, "< 1 %");
  await running.stop();
}
