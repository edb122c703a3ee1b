/**
 * `npm start -- flags`: installs and builds what is missing, then runs the simulated console in the foreground with
 * the same flags. Standard output is the console's; the address of its web page is printed on standard error.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { findOurs, flagValue } from "../tools/console-flags.js";
import { installForWindow, installSystemPackages } from "../tools/system-packages.js";
import { provideTrustedKeys } from "../tools/trusted-keys.js";

function fail(error: unknown, status: number): never {
  const { stderr, message } = error as { stderr?: string; message?: string };
  process.stderr.write(`console: ${stderr || message || error}\n`);
  process.exit(status);
}

/** Builds the simulator and the image. */
async function build(): Promise<[executable: string, image: string]> {
  const { buildDevice, buildSimulator } = await import("./build.js");
  return Promise.all([buildSimulator(), buildDevice()]);
}

/** How often to check whether npm still runs, so how long the console may outlive it. */
const PARENT_CHECK_MS = 500;

function run(executable: string, flags: string[], facts: Run): void {
  const child = spawn(executable, ["--die-with-parent", ...flags], { stdio: ["inherit", "pipe", "inherit"] });
  passOn(child.stdout, facts);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  // npm may end without sending a signal to this process: by SIGKILL, or by a SIGHUP of its own.
  const parent = process.ppid;
  if (process.env["npm_lifecycle_event"])
    setInterval(() => process.ppid === parent || child.kill("SIGTERM"), PARENT_CHECK_MS).unref();
  child.on("error", (error) => fail(error, 1));
  child.on("exit", (status, signal) => {
    process.exitCode = status ?? 128 + (signal ? constants.signals[signal] : 0);
  });
}

/**
 * Builds the console's window.
 * @returns path of its program, or `undefined` if there can be none: then the reason is printed
 */
async function buildWindow(): Promise<string | undefined> {
  const reason = await whyNoWindow();
  if (reason === undefined) return (await import("./build-window.js")).buildWindow();
  process.stderr.write(`console: no window: ${reason}\n`);
  return undefined;
}

async function whyNoWindow(): Promise<string | undefined> {
  if (!process.env["DISPLAY"] && !process.env["WAYLAND_DISPLAY"])
    return "neither DISPLAY nor WAYLAND_DISPLAY names a display of a desktop";
  return installForWindow() ? undefined : "it needs SDL 2, of Debian's package libsdl2-dev";
}

interface Run {
  readonly state: string;
  /** Of the web console, to be named. */
  readonly panel: string;
}

/** @param output of the console, which starts with the ready line */
function passOn(output: Readable, { state, panel }: Run): void {
  process.stdout.on("error", () => output.resume()); // the reader is gone, but the console keeps running
  output.pipe(process.stdout);
  createInterface(output).once("line", (line) => {
    const { http } = JSON.parse(line);
    process.stderr.write(`console: web console at ${http}/${panel}\n`);
    const token = tokenIn(state);
    if (token === undefined) return;
    process.stderr.write(
      `console: to pair a browser, open ${http}/#token=${token}${panel.replace("#", "/")}\n`,
    );
  });
}

/** The bearer token, which its owner alone may read. */
function tokenIn(state: string): string | undefined {
  try {
    return readFileSync(join(state, "kv/svc%2Fhttp/token"), "utf8");
  } catch {
    return undefined; // it could not be stored
  }
}

/** Has the console check its flags, or print its help, before any state is created. */
function checkUsage(executable: string, flags: string[]): void {
  const { status } = spawnSync(executable, ["--check", ...flags], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0 || flags.includes("--help")) process.exit(status ?? 1);
}

async function prepareState(state: string, file: string | undefined): Promise<void> {
  try {
    mkdirSync(state, { recursive: true });
    const news = await provideTrustedKeys(state, file);
    if (news) process.stderr.write(`console: ${news}\n`);
  } catch (error) {
    fail(error, 2);
  }
}

const flags = process.argv.slice(2);
const unknown = findOurs(flags);
if (unknown) fail(`unrecognized option '${unknown}'`, 2);
installSystemPackages("run");
const [executable, image] = await build().catch((error) => fail(error, 1));
checkUsage(executable, flags);
const state = flagValue(flags, "--state") ?? ".console";
await prepareState(state, flagValue(flags, "--trusted-keys"));
const wantsWindow = flags.includes("--window");
const window = wantsWindow ? await buildWindow().catch((error) => fail(error, 1)) : undefined;
const windowFlags = window === undefined ? [] : ["--window-program", window];
// Without the window that is wanted, the page's panel shows display and buttons.
const panel = wantsWindow && !window ? "#screen" : "";
run(executable, ["--image", image, ...windowFlags, ...flags], { state, panel });
