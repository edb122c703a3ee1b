/** Cuts power at each storage operation, as the unit tests do, with torn last writes of the simulator. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { Publisher } from "../../hosts/publisher.js";

const publisher = new Publisher();
const scratch = mkdtempSync(path.join(tmpdir(), "console-"));
const files: Uint8Array[] = [];

/** Exit status of the console at a power cut. */
const POWER_CUT = 99;

beforeAll(async () => {
  for (const [index, version] of ["1.0.0", "2.0.0"].entries()) {
    const module = await moduleOf(`(module (memory 1) (data (i32.const 0) "${"x".repeat(5000)}")
      (func $main (export "main") (result i32) (loop $again (br_if $again (i32.const 0))) (i32.const ${index})))`);
    files.push(packageOf(module, { version }));
  }
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function withConsole<Result>(
  state: string,
  use: (console: AppConsole) => Promise<Result>,
  cutAt?: number,
): Promise<Result> {
  const environment = cutAt === undefined ? {} : { SVC_SIM_POWER_CUT: String(cutAt) };
  const console = await startAppConsole({ publisher, state, environment });
  try {
    return await use(console);
  } finally {
    await console.stop();
  }
}

function send(console: AppConsole, file: Uint8Array) {
  return installOverHttp(console, { file, signature: publisher.sign(file) });
}

/** Runs the installed app, which proves its module whole. @returns its version, if any, and the free space */
async function installedVersion(console: AppConsole): Promise<{ version: string | undefined; free: number }> {
  const [entry] = await console.apps();
  const { free } = (await console.trace()) as { free: number };
  if (!entry) return { version: undefined, free };
  expect((await console.app("start")).status).toBe(200);
  const exit = await console.until(({ last_exit }) => last_exit !== undefined);
  expect(exit.last_exit).toMatchObject({ reason: "exit", code: entry.version === "1.0.0" ? 0 : 1 });
  return { version: entry.version, free };
}

/** A state directory that has booted once and has the first `count` files installed. */
async function stateWith(count: number): Promise<string> {
  const state = mkdtempSync(path.join(scratch, "state-"));
  await withConsole(state, async (console) => {
    for (const file of files.slice(0, count)) expect((await send(console, file)).status).toBe(200);
  });
  return state;
}

for (const [what, count] of [
  ["an install", 0],
  ["a replacement", 1],
] as const)
  test(`A power cut at any operation of ${what} leaves the old state or the new one`, async () => {
    const before = await stateWith(count);
    const [had, comes] = await Promise.all(
      [count, count + 1].map(async (installed) => withConsole(await stateWith(installed), installedVersion)),
    );
    if (!had || !comes) throw new Error("nothing to compare with");
    let operations = 0;
    for (let isCut = true; isCut; operations++) {
      const state = mkdtempSync(path.join(scratch, "cut-"));
      cpSync(before, state, { recursive: true });
      isCut = await cutDuringInstall(state, files[count] as Uint8Array, operations + 1);
      const found = await withConsole(state, installedVersion);
      expect(found.version === comes.version ? [comes] : [had]).toContainEqual(withoutDirectory(found, had));
      if (!isCut) expect(found.version).toBe(comes.version);
      rmSync(state, { recursive: true, force: true });
    }
    console.log(`${what}: power cut at each of ${operations - 1} operations`);
    expect(operations).toBeGreaterThan(20);
  }, 180_000);

/** @returns whether the power was cut before the console had answered */
async function cutDuringInstall(state: string, file: Uint8Array, operation: number): Promise<boolean> {
  const console = await startAppConsole({
    publisher,
    state,
    environment: { SVC_SIM_POWER_CUT: String(operation) },
  });
  const answer = await send(console, file).catch(() => undefined);
  if (answer) {
    await console.stop();
    return false;
  }
  expect(await console.exited).toBe(POWER_CUT);
  return true;
}

/** Ignores the directory `apps`, which stays after the first install. */
function withoutDirectory(found: { version: string | undefined; free: number }, had: { free: number }) {
  const isEmptied = found.version === undefined && had.free - found.free === 2 * 4096;
  return isEmptied ? { ...found, free: had.free } : found;
}
