/** Runs the console in the Moddable SDK's simulator, in the foreground, as `npm start` runs it in ours. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findOurs, flagValue } from "../../tools/console-flags.js";
import { provideTrustedKeys } from "../../tools/trusted-keys.js";
import { openDisplay } from "./display.js";
import type { Sdk } from "./sdk.js";

/** Length of the image's header, which precedes the library (tools/image.ts). */
const HEADER_BYTES = 128;

/** Differs from that of `npm start`, whose slots hold firmware for another console. */
const STATE = ".console-moddable";

/**
 * Checks the console's flags as far as possible before it is built.
 * @throws {Error} that names the invalid flag
 */
export function checkConsoleFlags(flags: readonly string[]): void {
  const unknown = findOurs(flags);
  if (unknown) throw new Error(`unrecognized option '${unknown}'`);
  if (flags.includes("--window")) throw new Error("'--window' is for `npm start`: this console has none");
  if (flagValue(flags, "--state") === "") throw new Error('"" is not a directory');
  const state = stateOf(flags);
  // The simulator copies the library with a shell command.
  if (state.includes("'"))
    throw new Error(`Cannot keep state in "${state}": the simulator loads nothing from a path with a "'"`);
}

function stateOf(flags: readonly string[]): string {
  return path.resolve(flagValue(flags, "--state") ?? STATE);
}

interface Run {
  readonly sdk: Sdk;
  /** The image to flash. */
  readonly image: string;
  /** Flags of the console. */
  readonly flags: readonly string[];
  /** For the console's standard output. */
  readonly output: NodeJS.WritableStream;
}

/** @returns exit status of the console */
export async function runInSimulator(wanted: Run): Promise<number> {
  const display = await openDisplay({ staysAtSignals: true });
  try {
    const status = await checkUsage(wanted, display.name);
    if (status !== 0 || wanted.flags.includes("--help")) return status;
    return (await prepareState(wanted.flags)) ? await run(wanted, display.name) : 2;
  } finally {
    display.close();
  }
}

/**
 * Has the console check its flags, or print its help, before any state is created.
 * @returns exit status
 */
async function checkUsage({ sdk, image, flags, output }: Run, display: string): Promise<number> {
  const directory = mkdtempSync(path.join(tmpdir(), "console-"));
  try {
    const child = launch(sdk, display, libraryOf(image, directory), ["--check", ...flags]);
    return (await ended(child, output)).status;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @returns whether the state is ready */
async function prepareState(flags: readonly string[]): Promise<boolean> {
  const state = stateOf(flags);
  try {
    mkdirSync(state, { recursive: true });
    const news = await provideTrustedKeys(state, flagValue(flags, "--trusted-keys"));
    if (news) log(news);
    return true;
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
    return false;
  }
}

/** @returns exit status */
async function run({ sdk, image, flags, output }: Run, display: string): Promise<number> {
  const state = stateOf(flags);
  const library = libraryOf(image, path.join(state, "mcsim"));
  const child = launch(sdk, display, library, ["--image", path.resolve(image), "--state", state, ...flags]);
  const { status, hasPrinted, wasStopped } = await ended(child, output);
  if (status !== 0 || hasPrinted || wasStopped) return status;
  log("the simulator ended before there was a console");
  return 1;
}

/**
 * @param directory created if it is missing
 * @returns the file to load
 */
function libraryOf(image: string, directory: string): string {
  const library = path.join(directory, "mc.so");
  mkdirSync(directory, { recursive: true });
  writeFileSync(library, readFileSync(image).subarray(HEADER_BYTES));
  return library;
}

function launch(sdk: Sdk, display: string, library: string, flags: readonly string[]) {
  return spawn(path.join(sdk.tools, "mcsim"), [library], {
    stdio: ["inherit", "pipe", "inherit"],
    env: {
      ...process.env,
      DISPLAY: display,
      // One simulator shows all consoles of a desktop session; this disables that.
      DBUS_SESSION_BUS_ADDRESS: "disabled:",
      XDG_CONFIG_HOME: path.dirname(library), // where it copies the library
      SVC_MODDABLE_FLAGS: flags.map(quoted).join(" "),
    },
  });
}

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Waits for the child to end, and forwards our signals to it. Its output, which starts with the ready line, shows that
 * it has started: a simulator that cannot load the library also ends with 0.
 */
async function ended(child: ReturnType<typeof launch>, output: NodeJS.WritableStream) {
  let hasPrinted = false;
  let wasStopped = false;
  const stop = (signal: NodeJS.Signals) => {
    wasStopped = true;
    child.kill(signal);
  };
  child.stdout.on("data", (chunk) => {
    hasPrinted = true;
    output.write(chunk);
  });
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    const [status] = await once(child, "close");
    return { status: (status as number | null) ?? 1, hasPrinted, wasStopped };
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

function log(text: string): void {
  process.stderr.write(`console: ${text}\n`);
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
