/**
 * Ten thousand consoles (fewer in a short round) on one hub process with SQLite: memory per console, time until all
 * are connected, time of one command to all until the last result is in and how long the hub stood still meanwhile,
 * reconnection after a restart, and the end of all connections.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { kill } from "node:process";
import { WebSocket } from "ws";
import { addPublisher } from "../../hub/operator.js";
import { bindingOf } from "../../protocol/hub/device-token.js";
import { NodeDigest } from "../../tools/node-bytes.js";
import { moduleOf, packageOf } from "../hosts/app-files.js";
import { Publisher } from "../hosts/publisher.js";
import type { HubProcess } from "../hub/hosts/hub-process.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hub/hosts/hub-under-test.js";
import { request } from "../hub/hosts/request.js";
import { inRound } from "./round.js";
import { type AddRow, kib, timed } from "./row.js";

const DEVICES = inRound({ full: 10_000, short: 200 });
/** Open files of a process besides the connections. */
const OTHER_FILES = 500;
/** Number of concurrent requests. */
const AT_ONCE = 64;
/** Pause before a console retries after a refused or lost connection. */
const RETRY_MS = 100;
const POLL_MS = 20;
/** Commands to all consoles, one after the other. */
const COMMANDS = inRound({ full: 3, short: 2 });
/** The metric of the event loop's lag is the time between two calls of a timer with this period. */
const LAG_PERIOD_MS = 10;

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

export default async function measure(addRow: AddRow): Promise<void> {
  const files = openFilesLimit();
  if (files < DEVICES + OTHER_FILES)
    return addRow(
      `${DEVICES} consoles`,
      `not measured: a process may have ${files} files open here (ulimit -n), which takes ${DEVICES + OTHER_FILES}`,
    );
  const hub = await EMBEDDED_HUB.start({ environment: { NODE_OPTIONS: `--import ${COLLECTOR}` } });
  const [process] = hub.processes;
  if (!process) throw new Error("There is no process");
  try {
    const publisher = new Publisher();
    const publisherToken = (await addPublisher(hub.environment, "bench", publisher.pem)).token;
    await publish(hub, publisherToken, publisher);
    const account = (await request(hub.origin, "POST", "/accounts")).body.account_token;
    const devices = Array.from({ length: DEVICES }, (_, index) => new Console(hub.origin, index));
    const registering = await timed(() => forEach(devices, (device) => device.join(account)));
    addRow(`${DEVICES} consoles registered and claimed`, seconds(registering), "≤ 12 s");

    await process.kill(); // what registration has left free would be used first
    await process.restart();
    const half = DEVICES / 2;
    const firstHalf = await timed(() => forEach(devices.slice(0, half), (device) => device.connected()));
    const before = await keptBytes(process);
    const secondHalf = await timed(() => forEach(devices.slice(half), (device) => device.connected()));
    const each = ((await keptBytes(process)) - before) / half;
    addRow(`${DEVICES} consoles connected, memory each`, kib(each), "≤ 4 KiB");
    addRow("time until all of them are in", seconds(firstHalf + secondHalf), "≤ 3 s");

    await longestStallMs(hub);
    const commands: { readonly tookMs: number; readonly stalledMs: number }[] = [];
    for (let command = 0; command < COMMANDS; command++) {
      const tookMs = await timed(() => tellAll(hub, account));
      commands.push({ tookMs, stalledMs: await longestStallMs(hub) });
    }
    const [first, ...later] = commands;
    if (!first) throw new Error("No command was given");
    addRow("one command to all of them, all results in", seconds(first.tookMs), "≤ 1 s");
    const stalled = `${first.stalledMs.toFixed(0)} ms`;
    addRow("longest time in which the hub's event loop stood still meanwhile", stalled, "≤ 20 ms");
    const both = later.map(({ tookMs, stalledMs }) => `${seconds(tookMs)}, ${stalledMs.toFixed(0)} ms`);
    addRow("both, for the commands after that", both.join("; "));

    for (const device of devices) device.isBack();
    await process.kill();
    const starting = await timed(() => process.restart());
    const storm = await timed(() => Promise.all(devices.map((device) => device.connected())));
    addRow("a restart after which all reconnect: ready / all in", `${seconds(starting)} / ${seconds(storm)}`);
    const leaving = await timed(async () => {
      for (const device of devices) device.close();
      await allAreOffline(hub, account);
    });
    addRow("all of them disconnect, and are known as offline", seconds(leaving));
  } finally {
    agent.destroy();
    await hub.stop();
  }
}

/** A console that acknowledges every install command. */
class Console {
  readonly #origin: string;
  readonly #token = randomUUID();
  readonly #mac: string;
  #socket: WebSocket | undefined;
  #connected: Promise<void> | undefined;
  #isClosed = false;

  constructor(origin: string, index: number) {
    this.#origin = origin;
    const digits = index.toString(16).toUpperCase().padStart(6, "0");
    this.#mac = `02:00:00:${digits.slice(0, 2)}:${digits.slice(2, 4)}:${digits.slice(4)}`;
  }

  /** Registers, and is claimed by the account. */
  async join(account: string): Promise<void> {
    const { claim_code } = await post(this.#origin, "/devices/register", undefined, {
      device_token: this.#token,
      mac: this.#mac,
      binding: bindingOf(this.#token, this.#mac, NodeDigest),
      name: `Console-${this.#mac.slice(-5).replace(":", "")}`,
      arch: "xtensa",
      firmware_version: "0.1.0",
    });
    await post(this.#origin, "/account/devices", account, { claim_code });
  }

  /** Connects and retries until it succeeds; resolves once connected. */
  connected(): Promise<void> {
    this.#connected ??= new Promise((resolve) => this.#try(resolve));
    return this.#connected;
  }

  /** Reconnects after the current connection closes. */
  isBack(): void {
    this.#connected = undefined;
    this.#socket?.once("close", () => void this.connected());
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.terminate();
  }

  #try(onOpen: () => void): void {
    if (this.#isClosed) return;
    const url = `${this.#origin.replace("http", "ws")}/ws/device/${this.#token}`;
    const socket = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true });
    socket.on("error", () => setTimeout(() => this.#try(onOpen), RETRY_MS));
    socket.on("open", onOpen);
    socket.on("message", (data) => acknowledge(socket, String(data)));
    this.#socket = socket;
  }
}

function acknowledge(socket: WebSocket, text: string): void {
  const { type, command_id, app_id } = JSON.parse(text);
  if (type !== "app.install") return;
  const result = { type: "app.install.result", command_id, app_id, success: true, error: null };
  socket.send(JSON.stringify(result));
}

async function publish(hub: HubUnderTest, token: string, publisher: Publisher): Promise<void> {
  const file = packageOf(await moduleOf('(module (func (export "main")))'));
  const form = new FormData();
  form.set("package", new Blob([Buffer.from(file)]), "app.svcpkg");
  form.set("signature", publisher.sign(file));
  const { status } = await request(hub.origin, "POST", "/catalog/publish", { token, form });
  if (status !== 201) throw new Error(`Publishing was answered ${status}`);
}

/** Rolls out one app to all consoles of the account, and waits until the rollout is completed. */
async function tellAll(hub: HubUnderTest, token: string): Promise<void> {
  const json = { kind: "app", app_id: "tetris" };
  const { status, body } = await request(hub.origin, "POST", "/rollouts", { token, json });
  if (status !== 201) throw new Error(`The rollout was answered ${status}: ${JSON.stringify(body)}`);
  for (;;) {
    const { body: rollout } = await request(hub.origin, "GET", `/rollouts/${body.rollout_id}`, { token });
    if (rollout.state === "completed") return;
    if (rollout.state !== "running") throw new Error(`The rollout is ${rollout.state}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The longest time for which the hub's event loop has stood still since the last call. */
async function longestStallMs(hub: HubUnderTest): Promise<number> {
  const { bytes } = await request(hub.origin, "GET", "/metrics");
  const [, lagS] = /^nodejs_eventloop_lag_max_seconds ([\d.e-]+)$/m.exec(Buffer.from(bytes).toString()) ?? [];
  return Number(lagS) * 1000 - LAG_PERIOD_MS;
}

async function allAreOffline(hub: HubUnderTest, token: string): Promise<void> {
  for (;;) {
    const { body } = await request(hub.origin, "GET", "/account/devices?status=offline&per_page=1", {
      token,
    });
    if (body.total === DEVICES) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

/** Sends requests over kept-alive connections; fetch would open more connections than a machine has ports. */
function post(origin: string, route: string, token: string | undefined, json: object) {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  return new Promise<{ claim_code: string }>((resolve, reject) => {
    const outgoing = httpRequest(`${origin}/api/v1${route}`, { method: "POST", headers, agent }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      answer.on("end", () =>
        (answer.statusCode as number) < 300
          ? resolve(JSON.parse(text))
          : reject(new Error(`${route}: ${text}`)),
      );
    });
    outgoing.on("error", reject).end(JSON.stringify(json));
  });
}

/**
 * Collects the process's garbage at SIGUSR2, and tells how much memory is left, without what the collector keeps free for more
 * garbage. Threads load it as well.
 */
const COLLECTOR = `data:text/javascript,${encodeURIComponent(`
  import { setFlagsFromString } from "node:v8";
  import { runInNewContext } from "node:vm";
  import { isMainThread } from "node:worker_threads";
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  if (isMainThread) process.on("SIGUSR2", () => {
    collect();
    const { rss, heapTotal, heapUsed } = process.memoryUsage();
    process.stderr.write("kept " + (rss - heapTotal + heapUsed) + "\\n");
  });
`)}`;

/** The memory that a process of the hub needs: without its garbage, the amount of which is chance. */
async function keptBytes({ pid, stderr }: HubProcess): Promise<number> {
  const told = () => stderr.filter((line) => line.startsWith("kept "));
  const before = told().length;
  kill(pid, "SIGUSR2");
  while (told().length === before) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return Number(told().at(-1)?.replace("kept ", ""));
}

/** Returns the limit of open files, which Node has raised to the maximum allowed. */
function openFilesLimit(): number {
  const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
