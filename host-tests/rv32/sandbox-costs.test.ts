/** What the sandboxed validator costs on a board, in instructions, for modules of apps and for hostile ones. */
import { readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { compileApp } from "../../sdk/builder/build-app.js";
import { buildSandboxSources } from "../../tools/sandbox.js";
import { isMissing } from "../hosts/peers.js";
import { I32, leb, module, times } from "../unit/wasm/module-builder.js";
import { buildKernelProgram, type Program, runKernelProgram } from "./kernel-program.js";

const PROJECT = path.join(import.meta.dirname, "../..");
const EXAMPLES = path.join(PROJECT, "sdk/examples");

/** Instructions per 100 bytes of an app's module, validated and prepared. */
const APP_LIMIT = 12_000;
/** Instructions per byte of any module. The costliest instruction passes 128 values to a block of two bytes. */
const BYTE_LIMIT = 2_500;

const examples = readdirSync(EXAMPLES).filter((name) => statSync(path.join(EXAMPLES, name)).isDirectory());

/** Modules whose code makes the validator work as much as possible for each byte. */
const HOSTILE = [
  {
    name: "calls that take 128 values and return 32",
    bytes: module({
      functions: [
        { parameters: times(128, [I32]), results: times(32, [I32]), code: times(32, [0x41, 0]) },
        { code: [0x00, ...times(4000, [0x10, 0]), ...times(32, [0x1a])] },
      ],
    }),
  },
  {
    name: "a table of branches that pass a value each",
    bytes: module({
      functions: [{ results: [I32], code: [0x41, 0, 0x41, 0, 0x0e, ...leb(4000), ...times(4001, [0])] }],
    }),
  },
  {
    name: "a thousand groups of locals",
    bytes: module({
      functions: [{ locals: Array.from({ length: 1000 }, () => [1, I32] as const), code: [] }],
    }),
  },
];

describe.skipIf(isMissing("rv32"))("The sandboxed validator on RV32", () => {
  let program: Program;

  beforeAll(async () => {
    const sources = await buildSandboxSources();
    const validator = sources.find((source) => source.endsWith("/sandbox-validator.c")) as string;
    program = await buildKernelProgram(
      "sandbox-costs",
      ["host-tests/rv32/native/sandbox-costs.c", path.relative(PROJECT, validator)],
      ["-I", path.join(PROJECT, "device/sandbox/native")],
    );
  });

  async function costOf(bytes: Uint8Array): Promise<number> {
    writeFileSync(path.join(program.folder, "module.wasm"), bytes);
    const { status, lines } = await runKernelProgram(program);
    expect(status, lines.join("\n")).toBe(0);
    const [byteLength, instructions] = (lines.at(-1) as string).split(" ").map(Number);
    expect(byteLength).toBe(bytes.length);
    return (instructions as number) / bytes.length;
  }

  for (const name of examples)
    test(`takes at most ${APP_LIMIT} instructions for 100 bytes of the example ${name}`, async () => {
      const { module: bytes } = await compileApp(path.join(EXAMPLES, name));
      expect(100 * (await costOf(bytes))).toBeLessThan(APP_LIMIT);
    });

  for (const { name, bytes } of HOSTILE)
    test(`takes at most ${BYTE_LIMIT} instructions for a byte of ${name}`, async () => {
      expect(await costOf(bytes)).toBeLessThan(BYTE_LIMIT);
    });
});
