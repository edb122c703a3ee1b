/**
 * Starts and controls a simulated console for a test: its own process, started from the executable directly, with its
 * own ports and state directory.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { buildDevice, buildSimulator, bundle } from "../../simulator/build.js";
import { writeImage } from "../../tools/image.js";
import { tier } from "../tier.js";
import { isBoard, startBoardConsole } from "./board.js";
import { Lines } from "./lines.js";
import { isModdable, type Launch, moddableLaunch } from "./moddable.js";
import { isMissing } from "./peers.js";

export interface ConsoleOptions {
  /** Flags after the defaults: `--state` with its own directory, address 127.0.0.1, free ports, no mDNS. */
  readonly flags?: readonly string[];
  /**
   * Firmware to flash instead of the device's: path of an image (`.img`), or path or source text of an ES module.
   * `null`: flash nothing and run what is in the slots.
   */
  readonly image?: string | null;
  /** State directory to use and keep; default: a new one, removed when the console ends. */
  readonly state?: string;
  /** Announce the console by mDNS, on the loopback interface. Default: false. */
  readonly hasMdns?: boolean;
  /** Executable to run; default: `SVC_SIM_VARIANT`, else `release`. */
  readonly variant?: Variant;
  /** Listens on every address, as `npm run console` does; only on a network of the test's own. */
  readonly isOnAllAddresses?: boolean;
  /** Words of a command that runs the console, given after them. */
  readonly within?: readonly string[];
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Console {
  readonly http: string;
  readonly ws: string;
  readonly usb: string;
  readonly name: string;
  readonly pid: number;
  readonly state: string;
  /** Lines on standard output so far; the first one reports that the console is ready. */
  readonly stdout: readonly string[];
  /** Lines on standard error so far, except {@link flashed}. */
  readonly stderr: readonly string[];
  /** Lines about the firmware flashed before power-on. */
  readonly flashed: readonly string[];
  /** Waits for the first line from index `from` on that matches; rejects if the process ends first. */
  waitForLine(pattern: RegExp, from?: number): Promise<string>;
  /** Sends SIGTERM and waits. @returns the exit status, or the signal that ended the process */
  stop(): Promise<number | NodeJS.Signals>;
  /** Sends SIGKILL, which is like a power cut. */
  kill(): Promise<void>;
  /** Settles when the process has ended, for any reason. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

/** The exit status and standard error of a process that ended before it was ready. */
export class ConsoleDidNotStart extends Error {
  override readonly name = "ConsoleDidNotStart";
  readonly status: number | NodeJS.Signals;
  readonly stderr: readonly string[];

  constructor(status: number | NodeJS.Signals, stderr: readonly string[]) {
    super(`The console ended with ${status} before it was ready: ${stderr.join("\n")}`);
    this.status = status;
    this.stderr = stderr;
  }
}

const temporary = () => mkdtempSync(path.join(tmpdir(), "console-"));

export type Variant = "release" | "asan" | "trampoline" | "m32";

/** Executable under test, from the environment; default: `release`. */
export const usualVariant = (process.env["SVC_SIM_VARIANT"] ?? "release") as Variant;

/**
 * True if the tests run with sanitizers. That run repeats a plain one, so it skips tests whose code under test has no
 * sanitizers.
 */
export const isSanitized = usualVariant === "asan";

/** The executable under test, and the one with a board's heap size, except in `npm test` or if this machine cannot build it. */
export const heapVariants: readonly Variant[] =
  isSanitized || tier === "quick" || isMissing("multilib")
    ? [usualVariant]
    : [...new Set([usualVariant, "m32" as const])];

/** The same variants with the smallest heap first, for tests about memory shortage. */
export const smallestHeapFirst: readonly Variant[] = [...heapVariants].reverse();

/** Sanitizers make the console several times slower. */
const PATIENT = { SVC_SIM_WATCHDOG_MS: "30000" };

const executables = new Map<Variant, Promise<string>>();
let deviceImage: Promise<string> | undefined;

/** Builds the executable once per test file; takes a fraction of a second if it is up to date. */
function builtExecutable(variant = usualVariant): Promise<string> {
  const built = executables.get(variant) ?? buildSimulator({ variant });
  executables.set(variant, built);
  return built;
}

/**
 * Returns the command that starts a console with this state directory and these flags, for tests that start it in a
 * network namespace of their own.
 */
export function consoleLaunch(state: string, flags: readonly string[] = []): Promise<Launch> {
  return launchOf({}, state, ["--die-with-parent", "--state", state, ...flags]);
}

/**
 * Returns the command that starts the console under test. The Moddable simulator already contains the device's
 * firmware.
 */
async function launchOf(options: ConsoleOptions, state: string, flags: readonly string[]): Promise<Launch> {
  if (isModdable && options.image === undefined) return moddableLaunch(flags, state);
  const [command, flash] = await Promise.all([
    isModdable ? undefined : builtExecutable(options.variant),
    flashFlags(options.image, state),
  ]);
  if (command === undefined) return moddableLaunch([...flash, ...flags], state);
  return { command, args: [...flash, ...flags], environment: isSanitized ? PATIENT : {} };
}

/** Returns the flags that flash `image`. */
async function flashFlags(image: string | null | undefined, state: string): Promise<readonly string[]> {
  return image === null ? [] : ["--image", await imageFile(image, state)];
}

async function imageFile(image: string | undefined, state: string): Promise<string> {
  deviceImage ??= image === undefined ? buildDevice() : undefined;
  if (image === undefined) return deviceImage as Promise<string>;
  if (image.endsWith(".img")) return image;
  const file = path.join(state, "image.img");
  writeFileSync(file, writeImage({ program: await programText(image, state) }));
  return file;
}

/** @param image source text of an ES module, or its path; a `.ts` file is bundled */
async function programText(image: string, state: string): Promise<string> {
  if (image.includes("\n")) return image;
  const module = image.endsWith(".ts") ? await bundle(image, path.join(state, "image.js")) : image;
  return readFileSync(module, "utf8");
}

/** Matches a line about flashed firmware (device/hosts/posix/native/boot/programmer.c). */
export const FLASHED = /^console: flashed "/;

/** Builds what is not up to date, starts a console and waits until it is ready. */
export async function startConsole(options: ConsoleOptions = {}): Promise<Console> {
  if (isBoard) return startBoardConsole(options);
  const state = options.state ?? temporary();
  mkdirSync(state, { recursive: true });
  const defaults = ["--http-port", "0", "--ws-port", "0"];
  if (!options.isOnAllAddresses) defaults.push("--address", "127.0.0.1");
  if (!options.hasMdns) defaults.push("--no-mdns");
  const flags = ["--die-with-parent", "--state", state, ...defaults, ...(options.flags ?? [])];
  const { command, args, environment } = await launchOf(options, state, flags);
  const [file = "", ...words] = [...(options.within ?? []), command, ...args];
  const child = spawn(file, words, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment, ...options.environment },
  });
  return follow(child, state, options.state === undefined);
}

async function follow(child: ChildProcess, state: string, isTemporary: boolean): Promise<Console> {
  const lines = new Lines();
  if (!child.stdout || !child.stderr) throw new Error("The console's output is not piped");
  const output = createInterface(child.stdout);
  const stdout: string[] = [];
  output.on("line", (line) => stdout.push(line));
  const flashed: string[] = [];
  createInterface(child.stderr).on("line", (line) => {
    if (FLASHED.test(line)) flashed.push(line);
    else lines.add(line);
  });
  const exited = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status, signal) => {
      if (isTemporary) rmSync(state, { recursive: true, force: true });
      resolve(status ?? signal ?? -1);
    });
  });
  const ready = new Promise<string>((resolve) => output.once("line", resolve));
  const line = await Promise.race([ready, exited]);
  if (typeof line !== "string" || !line.startsWith("{"))
    throw new ConsoleDidNotStart(await exited, lines.all);
  const { http, ws, usb, name, pid } = JSON.parse(line);
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return exited;
  };
  return {
    http,
    ws,
    usb,
    name,
    pid,
    state,
    exited,
    flashed,
    stdout,
    stderr: lines.all,
    waitForLine: (pattern, from = 0) => lines.wait(pattern, from, exited),
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL")),
  };
}
