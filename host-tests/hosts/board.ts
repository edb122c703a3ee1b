/**
 * Starts the console of a board for tests, in an emulator of its chip: firmware, flash and boot loader are the board's.
 * `host-tests/board/run.ts` sets the environment variable that says how.
 *
 * Each console has a copy of the flash image in its state directory, and its ports on the loopback interface. Its
 * management port is a pseudo-terminal of the emulator, which is open from before the machine runs until the console
 * answers, and then the test's.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as wait } from "node:timers/promises";
import { ReadStream } from "node:tty";
import { type EmulatorOptions, emulatorArguments, MANAGEMENT_PORT } from "../board/emulator.js";
import { EmulatorControl } from "./emulator-control.js";
import { Lines } from "./lines.js";
import type { Console, ConsoleOptions } from "./simulator.js";

/** The emulator to run, and the board in it. */
export interface BoardUnderTest
  extends Pick<EmulatorOptions, "machine" | "memory" | "isOctal" | "uart" | "icount" | "extra"> {
  /** Path of the emulator. */
  readonly emulator: string;
  /** Image of the whole flash, as large as the flash. */
  readonly flash: string;
  /** Board name in the firmware, and the architecture of the chip. */
  readonly board: string;
  readonly architecture: string;
  /** Private key of a publisher that the console trusts, in PEM; without it tests install no apps of their own. */
  readonly key?: string | undefined;
  /** How long a console may take until it answers. */
  readonly timeoutMs: number;
  /** Directory of the boot logs, one for each console. */
  readonly logs: string;
}

/** Environment variable with a {@link BoardUnderTest} in JSON. */
export const BOARD_VARIABLE = "SVC_TEST_BOARD";

const setting = process.env[BOARD_VARIABLE];
export const boardUnderTest: BoardUnderTest | undefined =
  setting === undefined ? undefined : JSON.parse(setting);

/** True if the tests run against this console instead of our own simulator. */
export const isBoard = boardUnderTest !== undefined;

const POLL_MS = 100;
/** The first request may wait for an answer this long, each further one twice as long as the last, up to the limit. */
const PATIENCE_MS = 250;
const PATIENCE_LIMIT_MS = 5000;
/** An emulator takes no longer to end, unless it hangs. */
const END_LIMIT_MS = 10_000;
/** Of the log, in messages. */
const SHOWN_LINES = 20;

/** What a board has no way to do, by the option that asks for it. */
const IMPOSSIBLE = Object.freeze({
  flags: "take flags: its firmware brings its options",
  image: "flash firmware of a test",
  hasMdns: "announce itself: multicast does not leave the emulator",
  variant: "run another variant",
  environment: "take environment variables",
});

/**
 * @param options only `state` has an effect: its flash image is used again
 * @throws {Error} for other options, and if the emulator ends, or the console does not answer in time
 */
export async function startBoardConsole(
  options: ConsoleOptions = {},
  board: BoardUnderTest | undefined = boardUnderTest,
): Promise<Console> {
  if (board === undefined) throw new Error(`${BOARD_VARIABLE} is not set: use npm run test:board`);
  refuseImpossible(options);
  const state = options.state ?? mkdtempSync(path.join(tmpdir(), "board-"));
  const removeState = () => {
    if (options.state === undefined) rmSync(state, { recursive: true, force: true });
  };
  const flash = path.join(state, "flash.bin");
  if (!existsSync(flash)) copyFileSync(board.flash, flash);
  const ports = await freePorts();
  const emulator = new Emulator(board, { ...board, flash, ports, log: nextLog(board.logs) });
  void emulator.ended.then(removeState);
  try {
    return await ready(emulator, board, { state, ...ports });
  } catch (error) {
    await emulator.stop("SIGKILL");
    throw new Error(`${(error as Error).message}\n${emulator.shownLog}`, { cause: error });
  }
}

function refuseImpossible(options: ConsoleOptions): void {
  for (const [name, what] of Object.entries(IMPOSSIBLE)) {
    const value = options[name as keyof typeof IMPOSSIBLE];
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) continue;
    throw new Error(`A board in an emulator cannot ${what}`);
  }
}

/** Ports that were free a moment ago: the emulator does not choose any, and does not say which it has. */
async function freePorts(): Promise<EmulatorOptions["ports"]> {
  const servers = await Promise.all([listening(), listening()]);
  const [http, ws] = servers.map((server) => (server.address() as { port: number }).port) as [number, number];
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return { http, ws };
}

async function listening() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Logs are numbered in the order of the starts. */
function nextLog(directory: string): string {
  mkdirSync(directory, { recursive: true });
  const file = path.join(directory, `boot-${readdirSync(directory).length + 1}.log`);
  writeFileSync(file, "");
  return file;
}

/** Emulators that run, so that none outlives the tests. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Discards what comes from a pseudo-terminal until it is released. */
class HeldPort {
  readonly #stream: ReadStream;

  constructor(file: string) {
    this.#stream = new ReadStream(openSync(file, constants.O_RDWR | constants.O_NOCTTY));
    this.#stream.on("error", () => {}); // its other side is gone: the emulator has ended
    this.#stream.resume();
  }

  async release(): Promise<void> {
    const closed = once(this.#stream, "close");
    this.#stream.destroy();
    await closed;
  }
}

/** A process, what the board in it prints, and the messages of the emulator itself. */
class Emulator {
  readonly #child: ChildProcess;
  readonly #log: string;
  readonly #messages: string[] = [];
  readonly lines = new Lines();
  /** The exit status, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly #control: EmulatorControl;
  #held: HeldPort | undefined;
  #hasBegun = false;
  /** When the board has printed last, of `performance.now()`. */
  #printedMs: number | undefined;
  #problem: Error | undefined;
  #readBytes = 0;
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  constructor(board: BoardUnderTest, options: EmulatorOptions) {
    this.#log = options.log;
    this.#child = spawn(board.emulator, emulatorArguments(options), { stdio: ["pipe", "pipe", "pipe"] });
    running.add(this.#child);
    this.#child.stdin?.on("error", () => {}); // told by its end
    this.#control = new EmulatorControl((line) => this.#child.stdin?.write(`${line}\n`));
    for (const stream of [this.#child.stdout, this.#child.stderr])
      if (stream) createInterface(stream).on("line", (line) => this.#take(line));
    const follower = setInterval(() => this.#follow(), POLL_MS);
    this.ended = new Promise((resolve) => {
      const settle = (status: number | NodeJS.Signals) => {
        running.delete(this.#child);
        clearInterval(follower);
        this.#follow();
        resolve(status);
      };
      this.#child.once("close", (status, signal) => settle(status ?? signal ?? -1));
      this.#child.once("error", (error) => {
        this.#problem = error;
        settle(-1);
      });
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Path of the pseudo-terminal, once the emulator has named it. */
  get managementPort(): string | undefined {
    const pattern = new RegExp(`char device redirected to (\\S+) \\(label ${MANAGEMENT_PORT}\\)`);
    return this.#messages.map((line) => pattern.exec(line)?.[1]).find((port) => port !== undefined);
  }

  /** Gives the pseudo-terminal to the test. */
  async releasePort(): Promise<void> {
    await this.#held?.release();
    this.#held = undefined;
  }

  /** What the machine does, and how long it has been silent. */
  async describe(): Promise<string> {
    const state = await this.#control.state();
    if (this.#printedMs === undefined) return `${state}, and has printed nothing`;
    const silentMs = performance.now() - this.#printedMs;
    return `${state}, and has printed its last line ${(silentMs / 1000).toFixed(1)} s ago`;
  }

  /** Rejects once the process has ended. */
  async failIfEnded(): Promise<never> {
    const status = await this.ended;
    if (this.#problem) throw new Error(`Cannot start the emulator: ${this.#problem.message}`);
    throw new Error(`The emulator ended with ${status} before the console was ready`);
  }

  /** @returns the exit status, or the signal that ended the process */
  async stop(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.#child.kill(signal);
    const hung = setTimeout(() => this.#child.kill("SIGKILL"), END_LIMIT_MS);
    const status = await this.ended;
    clearTimeout(hung);
    return status;
  }

  /** The messages of the emulator and the end of the board's log, for people. */
  get shownLog(): string {
    this.#follow();
    const shown = this.lines.all.slice(-SHOWN_LINES);
    return [...this.#messages, ...shown, `The boot log is "${this.#log}"`].join("\n");
  }

  /** The machine runs as soon as its pseudo-terminal is open. */
  #take(line: string): void {
    if (this.#control.take(line)) return;
    this.#messages.push(line);
    const port = this.managementPort;
    if (port === undefined || this.#hasBegun) return;
    this.#hasBegun = true;
    this.#held = new HeldPort(port);
    void this.#control.begin();
  }

  /** Reads what the emulator has appended to the log. */
  #follow(): void {
    const file = openSync(this.#log, "r");
    try {
      const buffer = Buffer.alloc(65536);
      for (let count = -1; count !== 0; ) {
        count = readSync(file, buffer, 0, buffer.length, this.#readBytes);
        this.#readBytes += count;
        const lines = (this.#rest + this.#decoder.write(buffer.subarray(0, count))).split(/\r*\n/);
        this.#rest = lines.pop() as string;
        for (const line of lines) this.lines.add(line);
        if (count > 0) this.#printedMs = performance.now();
      }
    } finally {
      closeSync(file);
    }
  }
}

/** A board's console prints this once it serves; the network may still have no address. */
const READY = /\bready\b/;

interface Places {
  readonly state: string;
  readonly http: number;
  readonly ws: number;
}

/** Waits until the console answers. What it prints is only needed to explain why it does not. */
async function ready(emulator: Emulator, board: BoardUnderTest, places: Places): Promise<Console> {
  const http = `http://127.0.0.1:${places.http}`;
  const deadline = performance.now() + board.timeoutMs;
  // Before the board is in the network, the emulator accepts connections that lead nowhere.
  for (let patienceMs = PATIENCE_MS; ; patienceMs = Math.min(2 * patienceMs, PATIENCE_LIMIT_MS)) {
    const system = await Promise.race([askSystem(http, patienceMs), emulator.failIfEnded()]);
    const usb = emulator.managementPort;
    if (system && usb !== undefined) {
      await emulator.releasePort();
      return consoleOf(emulator, { ...places, url: http, usb, name: system.name });
    }
    if (performance.now() > deadline) throw new Error(await whyNotReady(emulator, board));
    await wait(POLL_MS);
  }
}

async function askSystem(http: string, limitMs: number): Promise<{ readonly name: string } | undefined> {
  try {
    const answer = await fetch(`${http}/api/system`, { signal: AbortSignal.timeout(limitMs) });
    return (await answer.json()) as { name: string };
  } catch {
    return undefined; // it does not serve yet: the caller asks again
  }
}

async function whyNotReady(emulator: Emulator, { timeoutMs }: BoardUnderTest): Promise<string> {
  const within = `within ${timeoutMs / 1000} s`;
  if (emulator.managementPort === undefined)
    return `The emulator did not name the pseudo-terminal of the management port ${within}`;
  return emulator.lines.all.some((line) => READY.test(line))
    ? `The console printed that it is ready, but did not answer over the network ${within}: does its firmware have a driver for the emulator's Ethernet (open_eth)?`
    : `The console was not ready ${within}: ${await emulator.describe()}`;
}

function consoleOf(
  emulator: Emulator,
  {
    state,
    ws,
    url,
    usb,
    name,
  }: Places & { readonly url: string; readonly usb: string; readonly name: string },
): Console {
  const { lines, ended } = emulator;
  return {
    http: url,
    ws: `ws://127.0.0.1:${ws}/ws`,
    usb,
    name,
    pid: emulator.pid,
    state,
    stdout: [],
    stderr: lines.all,
    flashed: [],
    exited: ended,
    waitForLine: (pattern, from = 0) => lines.wait(pattern, from, ended),
    stop: () => emulator.stop("SIGTERM"),
    kill: async () => void (await emulator.stop("SIGKILL")),
  };
}
