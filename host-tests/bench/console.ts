/**
 * What the simulated console does in one run on this machine, against the budgets of the design (§10):
 * boot, requests a second beside a bare Node server that returns the same bytes, idle CPU, and heap.
 */
import { existsSync, readFileSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Console, startConsole } from "../hosts/simulator.js";
import { UsbClient } from "../hosts/usb-client.js";
import { type Load, load } from "./http-load.js";

const BOOTS = 10;
const LOAD_SECONDS = 4;
const IDLE_SECONDS = 10;
const CLOCK_TICKS_PER_SECOND = 100;

type Row = readonly [what: string, measured: string, budget: string];

const rows: Row[] = [];
const row = (what: string, measured: string, budget = ""): unknown => rows.push([what, measured, budget]);

/** Milliseconds from the start of the process to its `ready` line; the median of some boots. */
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

/** Share of one core that the process used over some seconds, in percent. */
async function idleCpuPercent(pid: number): Promise<number> {
  const before = cpuTicks(pid);
  await wait(IDLE_SECONDS * 1000);
  return ((cpuTicks(pid) - before) / CLOCK_TICKS_PER_SECOND / IDLE_SECONDS) * 100;
}

function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/** The same bytes from Node's own server, measured by the same client. */
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

/** Body of a `GET` on a connection of its own, so that none of the eight is taken. */
function textOf(address: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(address, { agent: false }, async (answer) => {
      let text = "";
      for await (const bytes of answer) text += bytes;
      resolve(text);
    }).on("error", reject);
  });
}

interface Heap {
  /** What is left after a collection, which it makes for this. */
  readonly live_bytes: number;
  readonly peak_live_bytes: number;
  /** The whole of what the machine may have, chunks, slots and stack. */
  readonly total_bytes: number;
}

/** The console says so on standard error when it gets SIGUSR1. */
async function heap(console: Console): Promise<Heap> {
  const from = console.stderr.length;
  process.kill(console.pid, "SIGUSR1");
  const line = await console.waitForLine(/^console: heap \{/, from);
  return JSON.parse(line.slice(line.indexOf("{")));
}

const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`;

async function measureLoad(console: Console): Promise<void> {
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

async function measureUsb(console: Console): Promise<void> {
  const usb = await UsbClient.open(console.usb);
  await usb.request("GET", "/api/status");
  const began = performance.now();
  const count = 2000;
  for (let request = 0; request < count; request += 1) await usb.request("GET", "/api/status");
  row("GET /api/status over USB", `${Math.round((count * 1000) / (performance.now() - began))} /s`);
  await usb.close();
}

async function measureHeap(variant: "release" | "m32"): Promise<void> {
  const console = await startConsole({ variant });
  const idle = await heap(console);
  await load(`${console.http}/api/status`, 8, 2);
  const loaded = await heap(console);
  const [bits, factor] = variant === "m32" ? ["32 bits", 1] : ["64 bits", 2];
  const budget = (amount: number) => `≤ ${amount * factor} KiB`;
  row(`XS heap beyond the program, live, idle, ${bits}`, kib(idle.live_bytes), budget(64));
  row(`XS heap beyond the program, live, peak under load, ${bits}`, kib(loaded.peak_live_bytes), budget(80));
  row(`XS heap beyond the program, all there is, ${bits}`, kib(loaded.total_bytes), budget(128));
  await console.stop();
}

row("boot to ready", `${(await bootMs()).toFixed(0)} ms`, "≤ 250 ms");
const running = await startConsole({});
await measureLoad(running);
await measureUsb(running);
row("idle CPU", `${(await idleCpuPercent(running.pid)).toFixed(2)} % of a core`, "< 1 %");
await running.stop();
await measureHeap("release");
if (existsSync("build/m32")) await measureHeap("m32");
else row("XS heap, 32 bits", "not measured: gcc-multilib is not there", "≤ 64 KiB");

const width = (column: 0 | 1) => Math.max(...rows.map((cells) => cells[column].length));
for (const [what, measured, budget] of rows)
  console.log(`${what.padEnd(width(0))}  ${measured.padEnd(width(1))}  ${budget}`);
