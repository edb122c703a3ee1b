/** An invisible display (Xvfb), for programs that draw without a viewer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { SdkProblem } from "./sdk.js";

/**
 * @typedef {object} Display
 * @property {string} name for the environment variable DISPLAY
 * @property {() => void} close
 */

/**
 * Check early, before long work that ends in drawing.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @throws {SdkProblem} where there is no display, and no Xvfb to be one
 */
export function requireDisplay(environment) {
  if (environment["DISPLAY"]) return;
  const directories = (environment["PATH"] ?? "").split(path.delimiter);
  if (!directories.some((directory) => existsSync(path.join(directory, "Xvfb"))))
    throw new SdkProblem("There is no display: DISPLAY is not set, and there is no Xvfb to be one");
}

/**
 * The display that is there, else an Xvfb of our own, on a number that is free.
 *
 * @param {{ staysAtSignals?: boolean }} [options] whether it is there until it is closed, also where a terminal ends
 *   everything that runs in it: programs that lose their display do not get to shut down
 * @returns {Promise<Display>}
 * @throws {Error} where there is neither
 */
export async function openDisplay({ staysAtSignals = false } = {}) {
  requireDisplay(process.env);
  const name = process.env["DISPLAY"];
  return name ? { name, close: () => {} } : startXvfb(staysAtSignals);
}

/** @param {boolean} detached @returns {Promise<Display>} */
async function startXvfb(detached) {
  // Without -noreset it starts anew when its last program goes, and refuses the one that comes meanwhile: a console that
  // restarts is both.
  const flags = ["-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"];
  const server = spawn("Xvfb", flags, {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    detached,
  });
  const ended = once(server, "exit").then(() => undefined);
  const number = /** @type {import("node:stream").Readable} */ (server.stdio[3]);
  const line = await Promise.race([once(number, "data"), ended]);
  if (line === undefined) throw new Error("Xvfb ended before it had a display");
  return { name: `:${String(line[0]).trim()}`, close: () => void server.kill() };
}
