/** An invisible display (Xvfb), for programs that draw without a viewer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { SdkProblem } from "./sdk.js";

interface Display {
  /** For the environment variable DISPLAY. */
  readonly name: string;
  readonly close: () => void;
}

/**
 * Checks early, before a long build, that a display can be opened.
 * @throws {SdkProblem} if there is neither a display nor Xvfb
 */
export function requireDisplay(environment: NodeJS.ProcessEnv): void {
  if (environment["DISPLAY"]) return;
  const directories = (environment["PATH"] ?? "").split(path.delimiter);
  if (!directories.some((directory) => existsSync(path.join(directory, "Xvfb"))))
    throw new SdkProblem("There is no display: DISPLAY is not set, and there is no Xvfb to be one");
}

/**
 * Uses the existing display, or starts Xvfb with a free number.
 * @param options whether it survives until it is closed, even if a terminal signals all its programs: a program that
 * loses its display cannot shut down
 * @throws {Error} if there is neither
 */
export async function openDisplay({
  staysAtSignals = false,
}: {
  staysAtSignals?: boolean;
} = {}): Promise<Display> {
  requireDisplay(process.env);
  const name = process.env["DISPLAY"];
  return name ? { name, close: () => {} } : startXvfb(staysAtSignals);
}

async function startXvfb(detached: boolean): Promise<Display> {
  // Without -noreset, Xvfb resets when its last client disconnects, and refuses a client that connects meanwhile: a
  // console that restarts does both.
  const flags = ["-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"];
  const server = spawn("Xvfb", flags, {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    detached,
  });
  const ended = once(server, "exit").then(() => undefined);
  const number = server.stdio[3] as Readable;
  const line = await Promise.race([once(number, "data"), ended]);
  if (line === undefined) throw new Error("Xvfb ended before it opened a display");
  return { name: `:${String(line[0]).trim()}`, close: () => void server.kill() };
}
