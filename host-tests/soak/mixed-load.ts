/**
 * Maximum load within a console's limits: 23 apps installed, as many running as allowed, eight connections, USB, a
 * hub that installs apps, log viewers, interrupted uploads, slow clients. Requirements: the console never restarts;
 * each answer is the expected one, or a 503 with a retry time; and afterwards the heap is back at its earlier size.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import { LASTING_CONNECTION_MS } from "../../hub-client/link-state.js";
import { CAPABILITIES } from "../../protocol/capabilities.js";
import { installOverUsb } from "../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../hosts/app-console.js";
import { moduleOf, packageOf } from "../hosts/app-files.js";
import { askHeap } from "../hosts/heap-report.js";
import type { Variant } from "../hosts/simulator.js";
import { SmallHub } from "../hosts/small-hub.js";
import { UsbClient } from "../hosts/usb-client.js";
import { ConnectionLost, HttpWorker, NoAnswer, type Reply } from "./http-worker.js";

const APPS = 23;
const RUNNING = 4;
/**
 * Workers among the eight connections; the others are for an installer, and a client that is slow or interrupts an
 * upload.
 */
const ASKING = 6;
const VIEWERS = 3;
const CHUNK_BYTES = 2048;

/**
 * Seconds of load before the first heap measurement, since one-time allocations stay: 1 KiB more after 30 s than
 * after 15 s; on a board's heap 6.5 KiB more after 2.5 min, and no more after 10 min.
 */
const warmUpS = (seconds: number): number => Math.max(15, Math.min(180, seconds / 4));

/** Allowed growth of the live heap: bounded lists and buffers can be fuller than before. */
export const LEFT_LIMIT_BYTES: Readonly<Record<Variant, number>> = {
  m32: 2 * 1024,
  release: 4 * 1024,
  asan: 4 * 1024,
  trampoline: 4 * 1024,
};

export interface SoakReport {
  readonly seconds: number;
  /** Answers by status. */
  readonly answers: Readonly<Record<string, number>>;
  readonly statusP99Ms: number;
  readonly liveBytesBefore: number;
  readonly liveBytesAfter: number;
  /** Violations of the requirements, one line each. */
  readonly troubles: readonly string[];
}

/** A module that writes a log line every 20 ms. */
const LOGGING_APP = `(module
  (import "svc" "log" (func $log (param i32 i32 i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "${"a line of an app ".repeat(6)}")
  (func (export "main")
    (loop $again
      (call $log (i32.const 1) (i32.const 0) (i32.const 100))
      (call $sleep (i32.const 20))
      (br $again))))`;

const nameOf = (number: number) => `soak-${number}`.padEnd(32, "x");

export async function soak(variant: Variant, seconds: number): Promise<SoakReport> {
  const hub = await SmallHub.start();
  const console = await startAppConsole({ variant, flags: ["--hub", hub.url] });
  try {
    return await new MixedLoad(console, hub, seconds).run();
  } finally {
    await console.kill();
    await hub.close();
  }
}

class MixedLoad {
  readonly #console: AppConsole;
  readonly #hub: SmallHub;
  readonly #seconds: number;
  readonly #answers: Record<string, number> = {};
  readonly #statusMs: number[] = [];
  readonly #troubles: string[] = [];
  #until = 0;
  #uptimeMs = 0;
  #pushes = 0;
  #isOver = false;

  constructor(console: AppConsole, hub: SmallHub, seconds: number) {
    this.#console = console;
    this.#hub = hub;
    this.#seconds = seconds;
  }

  async run(): Promise<SoakReport> {
    const module = await moduleOf(LOGGING_APP);
    for (let number = 0; number < APPS; number++) await this.#mustInstall(number, module);
    await this.#hub.connected();
    this.#console.exited.then((status) => {
      if (!this.#isOver) this.#trouble(`the process ended with ${status}`);
    });
    this.#console.waitForLine(/^console: (the heap has|memory full|unhandled)/).then(
      (line) => this.#trouble(line),
      () => {}, // the process ended at the end of the soak
    );
    await this.#load(module, warmUpS(this.#seconds));
    const before = await this.#settledHeap(0);
    await this.#load(module, this.#seconds);
    const after = await this.#settledHeap(before);
    const all = this.#statusMs.sort((a, b) => a - b);
    this.#isOver = true;
    return {
      seconds: this.#seconds,
      answers: this.#answers,
      statusP99Ms: all[Math.floor(all.length * 0.99)] ?? 0,
      liveBytesBefore: before,
      liveBytesAfter: after,
      troubles: this.#troubles,
    };
  }

  /** Runs all loads for `seconds`, then stops all apps. */
  async #load(module: Uint8Array, seconds: number): Promise<void> {
    this.#until = performance.now() + seconds * 1000;
    const loads = [
      ...Array.from({ length: ASKING }, (_, index) => this.#askAgainAndAgain(index)),
      ...Array.from({ length: VIEWERS }, (_, index) => this.#view(index)),
      this.#install(module),
      this.#startAndStop(),
      this.#useUsb(module),
      this.#push(module),
      this.#cutUploads(module),
      this.#beSlow(),
    ];
    await Promise.all(loads);
    for (let number = 0; number < APPS; number++) await this.#stop(number);
    await this.#hub.connected();
    await pause(1500);
  }

  get #goesOn(): boolean {
    return performance.now() < this.#until && this.#troubles.length === 0;
  }

  #trouble(text: string): void {
    if (this.#troubles.length < 20) this.#troubles.push(text);
  }

  /** Collects repeatedly until the live heap is near `wanted`, since closing connections takes a moment. */
  async #settledHeap(wanted: number): Promise<number> {
    let live = Number.POSITIVE_INFINITY;
    for (let look = 0; look < 20; look++) {
      live = Math.min(live, (await askHeap(this.#console)).live_bytes);
      if (live <= wanted + 1024) break;
      await pause(500);
    }
    return live;
  }

  #note(reply: { readonly status: number; readonly retryAfterS?: number | undefined }, what: string): void {
    const { status, retryAfterS } = reply;
    this.#answers[status] = (this.#answers[status] ?? 0) + 1;
    if (status === 503 && retryAfterS === undefined && !what.startsWith("USB"))
      this.#trouble(`${what}: 503 without Retry-After`);
    if (status >= 500 && status !== 503) this.#trouble(`${what}: ${status}`);
  }

  /** Repeats `step` until the time is up; a lost connection is retried. */
  async #again(what: string, step: () => Promise<unknown>, betweenMs = 0): Promise<void> {
    while (this.#goesOn) {
      try {
        await step();
      } catch (error) {
        if (!(error instanceof ConnectionLost)) this.#trouble(`${what}: ${String(error)}`);
        await pause(20);
      }
      if (betweenMs > 0) await pause(betweenMs);
    }
  }

  async #askAgainAndAgain(index: number): Promise<void> {
    const worker = new HttpWorker(this.#console.http);
    const targets = [
      "/api/status",
      "/api/apps/list",
      "/api/status",
      "/api/logs",
      "/api/system",
      "/api/status",
      "/api/cmd?c=app+list",
      "/api/cmd?c=ls+apps",
      "/api/hub",
      "/api/cmd?c=help",
      "/api/wifi",
      "/",
    ];
    let next = index;
    await this.#again("HTTP", async () => {
      const target = targets[next++ % targets.length] as string;
      const reply = await worker.ask("GET", target, undefined, `X-Padding: ${"p".repeat(index * 500)}\r\n`);
      this.#note(reply, target);
      if (target === "/api/status" && reply.status === 200) this.#checkStatus(reply);
      if (target === "/api/apps/list" && reply.status === 200) JSON.parse(reply.body);
    });
    worker.close();
  }

  #checkStatus({ body, tookMs }: Reply): void {
    this.#statusMs.push(tookMs);
    const { uptime_ms } = JSON.parse(body);
    if (uptime_ms + 2000 < this.#uptimeMs)
      this.#trouble(`the console started again after ${this.#uptimeMs} ms`);
    this.#uptimeMs = Math.max(this.#uptimeMs, uptime_ms);
  }

  async #view(index: number): Promise<void> {
    while (this.#goesOn) {
      const socket = new WebSocket(this.#console.ws);
      socket.on("error", () => {});
      if (index === 0) socket.on("open", () => socket.pause());
      await Promise.race([once(socket, "close").catch(() => {}), pause(2000 + index * 700)]);
      socket.terminate();
      await pause(50);
    }
  }

  async #mustInstall(number: number, module: Uint8Array): Promise<void> {
    for (;;) {
      const { status, retryAfterS, body } = await this.#send(
        new HttpWorker(this.#console.http),
        number,
        module,
      );
      if (status === 200) return;
      if (status !== 503) throw new Error(`The install was answered ${status} ${body}`);
      await pause((retryAfterS ?? 1) * 1000);
    }
  }

  #file(number: number, module: Uint8Array): { file: Uint8Array; signature: string } {
    const capabilities = CAPABILITIES.map((capability) => capability.name);
    const texts = { description: "d".repeat(128), author: "a".repeat(128) };
    const file = packageOf(module, { name: nameOf(number), capabilities, ...texts });
    return { file, signature: this.#console.publisher.sign(file) };
  }

  async #send(worker: HttpWorker, number: number, module: Uint8Array): Promise<Reply> {
    const { file, signature } = this.#file(number, module);
    const reply = await worker.ask("POST", "/api/apps/install", file, `X-Svc-Signature: ${signature}\r\n`);
    worker.close();
    return reply;
  }

  async #install(module: Uint8Array): Promise<void> {
    let number = 0;
    await this.#again("install", async () => {
      const reply = await this.#send(new HttpWorker(this.#console.http), number++ % APPS, module);
      this.#note(reply, `install ${reply.body}`);
    });
  }

  async #startAndStop(): Promise<void> {
    let number = 0;
    await this.#again(
      "start and stop",
      async () => {
        const target = (verb: string, app: number) => `/api/apps/${verb}?name=${nameOf(app % APPS)}`;
        await this.#lenient(target("start", number));
        if (number >= RUNNING) await this.#lenient(target("stop", number - RUNNING));
        number++;
      },
      100,
    );
  }

  /** Sends a POST; a refused connection is not a trouble, since clients retry. */
  async #lenient(target: string): Promise<void> {
    const worker = new HttpWorker(this.#console.http);
    try {
      this.#note(await worker.ask("POST", target, undefined, "Connection: close\r\n"), target);
    } catch (error) {
      if (error instanceof NoAnswer) this.#trouble(`${target}: ${error.message}`);
      this.#answers["lost"] = (this.#answers["lost"] ?? 0) + 1;
    } finally {
      worker.close();
    }
  }

  /** Stops an app over connections that close: a kept-alive one would add 3 KiB to the next measurement. */
  async #stop(number: number): Promise<void> {
    for (let attempt = 0; attempt < 20; attempt++) {
      const worker = new HttpWorker(this.#console.http);
      const target = `/api/apps/stop?name=${nameOf(number)}`;
      const reply = await worker
        .ask("POST", target, undefined, "Connection: close\r\n")
        .catch(() => undefined);
      worker.close();
      if (reply && reply.status !== 503) return;
      await pause(250);
    }
  }

  async #useUsb(module: Uint8Array): Promise<void> {
    let number = 5;
    while (this.#goesOn) {
      const usb = await UsbClient.open(this.#console.usb);
      const untilMs = performance.now() + 4000;
      try {
        await usb.request("POST", "/api/logs/stream", { enabled: "true" });
        while (this.#goesOn && performance.now() < untilMs) {
          for (const path of ["/api/status", "/api/apps/list", "/api/screen", "/api/system"])
            this.#note(await usb.request("GET", path), `USB ${path}`);
          const { file, signature } = this.#file(number++ % APPS, module);
          this.#note(await installOverUsb(usb, { file, signature }, CHUNK_BYTES), "USB install");
        }
      } catch (error) {
        this.#trouble(`USB: ${String(error)}`);
      }
      await usb.close();
      await pause(100);
    }
  }

  /**
   * Pushes installs. The hub cuts the connection only after it has lasted: after a shorter one, the console waits
   * longer before each reconnection.
   */
  async #push(module: Uint8Array): Promise<void> {
    let nextHangUpMs = 0;
    await this.#again(
      "push",
      async () => {
        const number = this.#pushes++ % APPS;
        const { file: bytes, signature } = this.#file(number, module);
        const download_url = this.#hub.serve(`/api/v1/package-${number}`, { bytes, signature });
        const command_id = `push-${this.#pushes}`;
        const from = this.#hub.received.length;
        await this.#hub.connected();
        this.#hub.send({
          type: "app.install",
          command_id,
          app_id: nameOf(number),
          version: "1.0.0",
          download_url,
        });
        await Promise.race([
          this.#hub.receive("app.install.result", (message) => message.command_id === command_id, from),
          pause(5000),
        ]);
        if (this.#pushes % 7 === 0 && performance.now() > nextHangUpMs) {
          nextHangUpMs = performance.now() + LASTING_CONNECTION_MS + 5000;
          this.#hub.hangUp();
        }
        this.#hub.received.length = 0;
      },
      200,
    );
  }

  async #cutUploads(module: Uint8Array): Promise<void> {
    const { port, hostname, host } = new URL(this.#console.http);
    let cut = 0;
    await this.#again(
      "cut",
      async () => {
        const { file } = this.#file(cut++ % APPS, module);
        const socket = connect(Number(port), hostname);
        socket.on("error", () => {});
        socket.write(
          `POST /api/apps/install HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${file.length}\r\n\r\n`,
        );
        socket.write(file.subarray(0, file.length / 2));
        await pause(30);
        socket.destroy();
      },
      150,
    );
  }

  /** Sends a head one byte at a time, and breaks off before it is complete. */
  async #beSlow(): Promise<void> {
    const { port, hostname, host } = new URL(this.#console.http);
    await this.#again("slow", async () => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      for (const character of `GET /api/status HTTP/1.1\r\nHost: ${host}\r\nA: ${"b".repeat(50)}`) {
        socket.write(character);
        await pause(10);
        if (!this.#goesOn) break;
      }
      socket.destroy();
    });
  }
}
