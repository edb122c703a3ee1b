/**
 * Modules at the nesting limits run on the smallest stack that a build can configure
 * (docs/spec/limits.md#module-limits).
 */
import { expect, test } from "vitest";
import { NESTING_LIMIT } from "../../../device/sandbox/validator/limits.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { startAppConsole } from "../../hosts/app-console.js";
import { packageOf } from "../../hosts/app-files.js";

/** Assembled by hand, since parsers of the text format recurse too. */
function moduleOf(memory: readonly number[], body: readonly number[]): Uint8Array {
  const code = [0, ...body, 0x0b];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 0, 1, 0x7f]),
    ...section(3, [1, 0]),
    ...section(5, [1, ...memory]),
    ...section(7, [1, 4, ...Buffer.from("main"), 0, 0]),
    ...section(10, [1, ...leb(code.length), ...code]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...leb(content.length), ...content];
}

function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)];
}

function repeated(count: number, bytes: readonly number[]): number[] {
  return Array.from({ length: count }, () => bytes).flat();
}

const DEPTH = NESTING_LIMIT - 2;
const END = [0x0b];
const ONE = [0x41, 1];
const nested = (begin: readonly number[], count = DEPTH) => [
  ...repeated(count, begin),
  ...repeated(count, END),
  ...ONE,
];

const MODULES = [
  { what: "blocks nested to the limit", module: moduleOf([0, 1], nested([0x02, 0x40])), code: 1 },
  {
    what: "blocks with results nested to the limit",
    module: moduleOf([0, 1], [...repeated(DEPTH, [0x02, 0x7f]), ...ONE, ...repeated(DEPTH, END)]),
    code: 1,
  },
  { what: "conditions nested to the limit", module: moduleOf([0, 1], nested([...ONE, 0x04, 0x40])), code: 1 },
  { what: "30 nested loops", module: moduleOf([0, 1], nested([0x03, 0x40], 30)), code: 1 },
  { what: "a memory limited to 0 pages", module: moduleOf([1, 0, 0], [...ONE, 0x40, 0]), code: -1 },
];

test("Modules at the nesting limits run on a stack of 4096 bytes", async () => {
  const console = await startAppConsole({ flags: ["--config", "CONFIG_SVC_WASM_APP_STACK_SIZE=4096"] });
  for (const { what, module, code } of MODULES) {
    const file = packageOf(module);
    const signature = console.publisher.sign(file);
    expect(await installOverHttp(console, { file, signature }), what).toMatchObject({ status: 200 });
    const from = console.stderr.length;
    await console.app("start");
    await console.waitForLine(/"tetris" ended/, from);
    expect((await console.apps())[0].last_exit, what).toMatchObject({ reason: "exit", code });
  }
  await console.stop();
});
