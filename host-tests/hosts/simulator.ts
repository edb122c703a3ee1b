/**
 * The simulated console as a test drives it: a process of its own, started from the executable directly, on ports and
 * in a directory that no other process uses.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { buildDevice, buildSimulator, bundle } from "../../simulator/build.js";
import { writeImage } from "../../tools/image.js";
import { isModdable, type Launch, moddableLaunch } from "./moddable.js";
import { isMissing } from "./peers.js";

export interface ConsoleOptions {
  /** Flags after the defaults, which are a directory of its own, 127.0.0.1, free ports and no mDNS. */
  readonly flags?: readonly string[];
  /**
   * Firmware to flash instead of the device's: an image's path (`.img`), or the path or text of an ES module.
   * `null`: none, what is in the slots is to run.
   */
  readonly image?: string | null;
  /** State directory to use, and to keep afterwards; else a new one that goes with the console. */
  readonly state?: string;
  /** Whether it is announced on the network, which is the loopback interface; left out: not. */
  readonly hasMdns?: boolean;
  /** Executable to run; left out: what `SVC_SIM_VARIANT` says, else `release`. */
  readonly variant?: Variant;
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
  /** Lines on standard output so far: the one that says it is ready. */
  readonly stdout: readonly string[];
  /** Lines on standard error so far, but for {@link flashed}. */
  readonly stderr: readonly string[];
  /** What was said of firmware that was flashed before power on. */
  readonly flashed: readonly string[];
  /** The first line from index `from` on that matches, waited for; rejects when the process ends first. */
  waitForLine(pattern: RegExp, from?: number): Promise<string>;
  /** SIGTERM, then how it ended: its exit status, or the signal that ended it. */
  stop(): Promise<number | NodeJS.Signals>;
  /** SIGKILL, as a power cut would. */
  kill(): Promise<void>;
  /** Settles when the process has ended, whatever ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

/** What a process that never became ready has left behind. */
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

export type Variant = "release" | "asan" | "m32";

/** Environment variable that chooses the executable; `release` where it is not set. */
export const usualVariant = (process.env["SVC_SIM_VARIANT"] ?? "release") as Variant;

/** The sanitizers' run of the tests comes after another one, and repeats nothing that has no sanitizers in it. */
export const isSanitized = usualVariant === "asan";

/** The usual one, and the one with a board's heap where this machine can build it. */
export const heapVariants: readonly Variant[] =
  isSanitized || isMissing("multilib") ? [usualVariant] : [...new Set([usualVariant, "m32" as const])];

/** For tests that differ by how little memory there is alone. */
export const smallestHeapFirst: readonly Variant[] = [...heapVariants].reverse();

/** The sanitizers make everything take several times as long. */
const PATIENT = { SVC_SIM_WATCHDOG_MS: "30000" };

const executables = new Map<Variant, Promise<string>>();
let deviceImage: Promise<string> | undefined;

/** Built once a test file; with everything fresh that takes a fraction of a second. */
function builtExecutable(variant = usualVariant): Promise<string> {
  const built = executables.get(variant) ?? buildSimulator({ variant });
  executables.set(variant, built);
  return built;
}

/**
 * How a process is started that is the console with these flags after those that give it a directory of its own, for
 * tests that put it on a network of their own.
 */
export function consoleLaunch(state: string, flags: readonly string[] = []): Promise<Launch> {
  return launchOf({}, state, ["--die-with-parent", "--state", state, ...flags]);
}

/** How the console is started that the tests are to drive. The Moddable one has been made with the device's firmware. */
async function launchOf(options: ConsoleOptions, state: string, flags: readonly string[]): Promise<Launch> {
  if (isModdable && options.image === undefined) return moddableLaunch(flags, state);
  const [command, flash] = await Promise.all([
    isModdable ? undefined : builtExecutable(options.variant),
    flashFlags(options.image, state),
  ]);
  if (command === undefined) return moddableLaunch([...flash, ...flags], state);
  return { command, args: [...flash, ...flags], environment: isSanitized ? PATIENT : {} };
}

/** The flags that flash it. */
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

/** @param image text of an ES module, or its path; one that ends in `.ts` is bundled */
async function programText(image: string, state: string): Promise<string> {
  if (image.includes("\n")) return image;
  const module = image.endsWith(".ts") ? await bundle(image, path.join(state, "image.js")) : image;
  return readFileSync(module, "utf8");
}

/** A line that says what was flashed (device/hosts/posix/native/boot/programmer.c). */
export const FLASHED = /^console: flashed "/;

/** What a process has written on standard error, and who waits for more. */
class Lines {
  readonly all: string[] = [];
  readonly #waiting = new Set<() => void>();

  add(line: string): void {
    this.all.push(line);
    for (const look of [...this.#waiting]) look();
  }

  wait(pattern: RegExp, from: number, ended: Promise<unknown>): Promise<string> {
    return new Promise((resolve, reject) => {
      let next = from; // each line is looked at once: a soak brings a million of them
      const look = () => {
        for (; next < this.all.length; next++) {
          const line = this.all[next] as string;
          if (!pattern.test(line)) continue;
          this.#waiting.delete(look);
          return resolve(line);
        }
      };
      this.#waiting.add(look);
      look();
      ended.then(() =>
        reject(new Error(`Ended without a line like ${pattern}: ${this.all.slice(-20).join("\n")}`)),
      );
    });
  }
}

/** Builds what is not built, starts a console and waits until it is ready. */
export async function startConsole(options: ConsoleOptions = {}): Promise<Console> {
  const state = options.state ?? temporary();
  mkdirSync(state, { recursive: true });
  const defaults = ["--address", "127.0.0.1", "--http-port", "0", "--ws-port", "0"];
  if (!options.hasMdns) defaults.push("--no-mdns");
  const flags = ["--die-with-parent", "--state", state, ...defaults, ...(options.flags ?? [])];
  const { command, args, environment } = await launchOf(options, state, flags);
  const child = spawn(command, args, {
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
    ...{ http, ws, usb, name, pid, state, exited, flashed, stdout },
    stderr: lines.all,
    waitForLine: (pattern, from = 0) => lines.wait(pattern, from, exited),
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL")),
  };
}
