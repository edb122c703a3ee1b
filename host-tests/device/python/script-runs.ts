/** Runs scripts on a simulated console. */
import { expect } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import type { AppConsole } from "../../hosts/app-console.js";
import { type PythonApp, pythonPackage } from "../../hosts/python-app.js";
import { type Picture, readPng } from "../../hosts/read-png.js";

/** Lines of a script. */
export const text = (...lines: readonly string[]) => `${lines.join("\n")}\n`;

/** Runs a script to its end. @returns its lines in the log without time, such as `I hello`, and how it ended */
export async function run(console: AppConsole, app: string | PythonApp) {
  const from = await started(console, app);
  const { last_exit: exit } = await console.until(({ state }) => state === "stopped", "script");
  const lines = console.stderr.slice(from).flatMap((line) => {
    const [, level, said] = / ([DIWE]) app\/script: (.*)$/.exec(line) ?? [];
    return level ? [`${level} ${said}`] : [];
  });
  return { lines, exit };
}

/** Installs and starts a script. @returns where in the console's output its own begins */
export async function started(console: AppConsole, app: string | PythonApp): Promise<number> {
  const file = await pythonPackage(typeof app === "string" ? { script: app } : app);
  const signature = console.publisher.sign(file);
  expect(await installOverHttp(console, { file, signature })).toMatchObject({ status: 200 });
  const from = console.stderr.length;
  expect(await console.app("start", "script")).toMatchObject({ status: 200 });
  return from;
}

export async function screen(console: AppConsole): Promise<Picture> {
  const answer = await fetch(`${console.http}/api/screen`);
  return readPng(new Uint8Array(await answer.arrayBuffer()));
}
