/** Runs the console in the Moddable SDK's simulator, in the foreground, as `npm start` runs it in ours. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findOurs, flagValue } from "../../simulator/console-flags.js";
import { provideTrustedKeys } from "../../tools/trusted-keys.js";
import { openDisplay } from "./display.js";
import type { Sdk } from "./sdk.js";

/** Of the image, before the library that the simulator loads (tools/image.ts). */
const HEADER_BYTES = 128;

/** Not that of `npm start`: what is in its slots is not for this console. */
const STATE = ".console-moddable";

/**
 * What can be told of the console's flags before there is one.
 * @throws {Error} saying what is wrong with them
 */
export function checkConsoleFlags(flags: readonly string[]): void {
  const unknown = findOurs(flags);
  if (unknown) throw new Error(`unrecognized option '${unknown}'`);
  if (flagValue(flags, "--state") === "") throw new Error('"" is no directory');
  const state = stateOf(flags);
  // It has a shell copy what it loads.
  if (state.includes("'"))
    throw new Error(`Cannot keep state in "${state}": the simulator loads nothing from a path with a "'"`);
}

function stateOf(flags: readonly string[]): string {
  return path.resolve(flagValue(flags, "--state") ?? STATE);
}

interface Run {
  readonly sdk: Sdk;
  /** To flash. */
  readonly image: string;
  /** Of the console's. */
  readonly flags: readonly string[];
  /** For what the console prints. */
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
 * Flags that are wrong end here, with nothing made yet, and so does asking for help.
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

/** @returns whether there is state to start with */
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
 * @param directory made where it is missing
 * @returns what to load
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
      // One simulator shows everything that a session of a desktop opens; it must be this one.
      DBUS_SESSION_BUS_ADDRESS: "disabled:",
      XDG_CONFIG_HOME: path.dirname(library), // where it copies what it loads to
      SVC_MODDABLE_FLAGS: flags.map(quoted).join(" "),
    },
  });
}

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Until the end of the child, to which our signals go. What it prints, its ready line first, tells that it has begun:
 * a simulator that finds nothing to load ends with 0, too.
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

/** As a word of a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
