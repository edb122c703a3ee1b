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
 * Check early, before long work that ends in drawing.
 * @throws {SdkProblem} where there is no display, and no Xvfb to be one
 */
export function requireDisplay(environment: NodeJS.ProcessEnv): void {
  if (environment["DISPLAY"]) return;
  const directories = (environment["PATH"] ?? "").split(path.delimiter);
  if (!directories.some((directory) => existsSync(path.join(directory, "Xvfb"))))
    throw new SdkProblem("There is no display: DISPLAY is not set, and there is no Xvfb to be one");
}

/**
 * The display that is there, else an Xvfb of our own, on a number that is free.
 * @param options whether it is there until it is closed, also where a terminal ends
 *   everything that runs in it: programs that lose their display do not get to shut down
 * @throws {Error} where there is neither
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
  // Without -noreset it starts anew when its last program goes, and refuses the one that comes meanwhile: a console that
  // restarts is both.
  const flags = ["-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"];
  const server = spawn("Xvfb", flags, {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    detached,
  });
  const ended = once(server, "exit").then(() => undefined);
  const number = server.stdio[3] as Readable;
  const line = await Promise.race([once(number, "data"), ended]);
  if (line === undefined) throw new Error("Xvfb ended before it had a display");
  return { name: `:${String(line[0]).trim()}`, close: () => void server.kill() };
}
