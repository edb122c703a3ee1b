/** Apps that end as docs/spec/apps.md#trap says: by a trap, which is told and kept, or with a code. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AbiFunction } from "../../../device/wasm/abi.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import type { AppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { moduleOf as callsOf, parametersOf } from "../guest/abi-calls.js";
import {
  APP_ABI,
  type HostileApp,
  LARGEST_QUOTA_BYTES,
  mustInstall,
  startHostileConsole,
  stopCleanly,
  whileProbed,
} from "./hostile-apps.js";

let console: AppConsole;
beforeAll(async () => {
  console = await startHostileConsole();
});
afterAll(() => stopCleanly(console));

/** Starts what is installed, and waits for its end. @returns `last_exit`, and the line of the log that tells of it */
async function runToEnd(name = "hostile"): Promise<{ lastExit: unknown; line: string }> {
  const from = console.stderr.length;
  expect((await console.app("start", name)).status).toBe(200);
  const line = await console.waitForLine(new RegExp(`apps: "${name}" ended: `), from);
  const { last_exit } = await console.until((entry) => entry.state === "stopped", name);
  const { at_ms, ...lastExit } = last_exit;
  expect(at_ms).toBeGreaterThan(0);
  return { lastExit, line };
}

async function endOf(app: HostileApp): Promise<{ lastExit: unknown; line: string }> {
  await mustInstall(console, app);
  return whileProbed(console, () => runToEnd());
}

const svc = (name: string, parameters: number, result = "i32") =>
  `(import "svc" "${name}" (func $${name} ${parameters ? `(param ${"i32 ".repeat(parameters)})` : ""} (result ${result})))`;
const main = (body: string) => `(func $main (export "main") ${body})`;
const answering = (body: string) => `(func $main (export "main") (result i32) ${body})`;

describe("a trap", () => {
  const TRAPS: readonly (Pick<HostileApp, "module"> & { name: string; message: string; quota?: number })[] = [
    { name: "unreachable", module: main("unreachable"), message: "unreachable executed" },
    {
      name: "a division by zero",
      module: main("(drop (i32.div_u (i32.const 1) (i32.const 0)))"),
      message: "integer divide by zero",
    },
    {
      name: "a remainder by zero",
      module: main("(drop (i64.rem_s (i64.const 1) (i64.const 0)))"),
      message: "integer divide by zero",
    },
    {
      name: "the lowest integer divided by -1",
      module: main("(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))"),
      message: "integer overflow",
    },
    {
      name: "a NaN as an integer",
      module: main("(drop (i32.trunc_f64_s (f64.const nan)))"),
      message: "invalid conversion to integer",
    },
    {
      name: "an infinity as an integer",
      module: main("(drop (i64.trunc_f32_u (f32.const inf)))"),
      message: "integer overflow",
    },
    {
      name: "a load that ends one byte past memory",
      module: `(memory 1) ${main("(drop (i32.load (i32.const 65533)))")}`,
      message: "out of bounds memory access",
    },
    {
      name: "a store at the highest address and offset",
      module: `(memory 1) ${main("(i64.store offset=0xffffffff (i32.const -1) (i64.const 1))")}`,
      message: "out of bounds memory access",
    },
    {
      name: "a store to a memory of no pages",
      module: `(memory 0) ${main("(i32.store8 (i32.const 0) (i32.const 1))")}`,
      message: "out of bounds memory access",
    },
    {
      name: "a copy that ends past memory",
      module: `(memory 1) ${main("(memory.copy (i32.const 65535) (i32.const 0) (i32.const 2))")}`,
      message: "out of bounds memory access",
    },
    {
      name: "a fill of 4 GiB",
      module: `(memory 1) ${main("(memory.fill (i32.const 0) (i32.const 1) (i32.const -1))")}`,
      message: "out of bounds memory access",
    },
    {
      name: "a pointer without any memory",
      module: `${svc("log", 3)} ${main("(drop (call $log (i32.const 1) (i32.const 0) (i32.const 1)))")}`,
      message: "out of bounds memory access",
    },
    {
      name: "a pointer in a memory of no pages",
      module: `${svc("random", 2)} (memory 0) ${main("(drop (call $random (i32.const 0) (i32.const 1)))")}`,
      message: "out of bounds memory access",
    },
    {
      name: "the first byte past a memory grown to the quota",
      quota: 4 * 65536,
      module: `(memory 1) ${main("(drop (memory.grow (i32.const 3))) (i32.store8 (i32.const 0x40000) (i32.const 1))")}`,
      message: "out of bounds memory access",
    },
    {
      name: "a call past the end of the table",
      module: `(table 2 funcref) ${main("(call_indirect (i32.const 2))")}`,
      message: "undefined element",
    },
    {
      name: "a call of an empty table element",
      module: `(table 2 funcref) ${main("(call_indirect (i32.const 1))")}`,
      message: "undefined element",
    },
    {
      name: "a call of a function of another type",
      module: `(table funcref (elem $main)) ${main("(drop (call_indirect (result i32) (i32.const 0)))")}`,
      message: "indirect call type mismatch",
    },
    {
      name: "endless recursion",
      module: main("(call $main)"),
      message: "stack overflow",
    },
    {
      name: "endless mutual recursion",
      module: `(func $back (call $main)) ${main("(call $back)")}`,
      message: "stack overflow",
    },
    {
      name: "endless recursion through a table",
      module: `(table funcref (elem $main)) ${main("(call_indirect (i32.const 0))")}`,
      message: "stack overflow",
    },
    {
      name: "endless recursion with 900 locals",
      module: `(func $main (export "main") (local ${"i64 ".repeat(900)}) (call $main))`,
      message: "stack overflow",
    },
  ];
  for (const { name, module, message, quota = 65536 } of TRAPS)
    test(`of ${name} is the app's last exit, and its log line names the functions`, async () => {
      const { lastExit, line } = await endOf({ module, memory_quota: quota });
      expect(lastExit).toEqual({ reason: "trap", message });
      expect(line).toMatch(
        new RegExp(` E apps: "hostile" ended: trap: ${message} in (back(@\\w+)? < )?main\\b`),
      );
    });

  // docs/spec/logs.md#line-length
  test("with many long names is told in a line of 512 bytes", async () => {
    const name = "again".repeat(12);
    const { line } = await endOf({ module: `(func $${name} (export "main") (call $${name}))` });
    expect(Buffer.byteLength(line)).toBeGreaterThan(500);
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(512);
    expect(line.endsWith("…")).toBe(true);
  });

  const EARLY = [
    {
      name: "data outside memory",
      module: `(memory 1) (data (i32.const 65535) "ab") ${main("")}`,
      message: "data segment out of bounds",
    },
    {
      name: "the start function",
      module: `(func $start unreachable) (start $start) ${main("")}`,
      message: "unreachable executed",
    },
  ];
  for (const { name, module, message } of EARLY)
    test(`of ${name} happens before the entry is called`, async () => {
      expect((await endOf({ module })).lastExit).toEqual({ reason: "trap", message });
    });

  const NAMES = [
    {
      title: "escapes control characters in function names and cuts long names between characters",
      inner: Buffer.from("\n1 E x: y\u009b\u001b[2"),
      outer: Buffer.from("ä".repeat(50)),
      told: `\\n1 E x: y\\x9b\\x1b[2 < ${"ä".repeat(31)}`,
    },
    {
      title: "replaces function names that are not UTF-8 by their index",
      inner: Buffer.from([0xff, 0x00, 0xe2, 0x82]),
      outer: Buffer.from("outer"),
      told: "#0 < #1",
    },
  ];
  for (const { title, inner, outer, told } of NAMES)
    test(`in the log ${title}`, async () => {
      const [first, second] = [inner, outer].map(({ length }, index) => "IO".charAt(index).repeat(length));
      const wasm = Buffer.from(
        await moduleOf(
          `(module (func $${first} unreachable) (func $${second} (export "main") (call $${first})))`,
        ),
      );
      inner.copy(wasm, wasm.lastIndexOf(first ?? ""));
      outer.copy(wasm, wasm.lastIndexOf(second ?? ""));
      const file = packageOf(wasm, { name: "hostile" });
      const signature = console.publisher.sign(file);
      expect((await installOverHttp(console, { file, signature })).status).toBe(200);
      const { line } = await runToEnd();
      expect(line.slice(line.indexOf(" in ") + 4).replace(/@[0-9a-f]+/g, "")).toBe(told);
    });
});

describe("an app exits with", () => {
  const EXITS: readonly (HostileApp & { title: string; code: number })[] = [
    {
      title: "the lowest code that main returns",
      module: answering("(i32.const 0x80000000)"),
      code: -0x8000_0000,
    },
    {
      title: "the highest code that main returns",
      module: answering("(i32.const 0x7fffffff)"),
      code: 0x7fff_ffff,
    },
    {
      title: "the lowest code passed to exit()",
      module: `${svc("exit", 1)} ${main("(drop (call $exit (i32.const 0x80000000))) unreachable")}`,
      code: -0x8000_0000,
    },
    {
      title: "the code passed to exit() in the start function",
      module: `${svc("exit", 1)} (func $start (drop (call $exit (i32.const 7)))) (start $start) ${main("unreachable")}`,
      code: 7,
    },
    {
      title: "the result of a main with argc and argv, which are 0",
      module: `(func (export "main") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))`,
      code: 0,
    },
    {
      title: "its code after its memory grew to the quota but not past it",
      memory_quota: 4 * 65536,
      module: `(memory 1) ${answering(`
        (if (i32.ne (memory.grow (i32.const 3)) (i32.const 1)) (then unreachable))
        (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))
        (if (i32.ne (memory.grow (i32.const -1)) (i32.const -1)) (then unreachable))
        (i32.store8 (i32.const 0x3ffff) (i32.const 9)) (i32.load8_u (i32.const 0x3ffff))`)}`,
      code: 9,
    },
    {
      title: "its code after its memory grew to the largest quota",
      memory_quota: LARGEST_QUOTA_BYTES,
      module: `(memory 0) ${answering("(memory.grow (i32.const 64))")}`,
      code: 0,
    },
    {
      title: "its code with a table of the largest size",
      module: `(table 16384 funcref) (elem (i32.const 16383) $f) (func $f (result i32) (i32.const 5))
        ${answering("(call_indirect (result i32) (i32.const 16383))")}`,
      code: 5,
    },
    {
      title: "its code with 1100 locals in a function",
      module: `(func (export "main") (result i32) (local ${"i32 ".repeat(1100)}) (local.get 1099))`,
      code: 0,
    },
    {
      title: "its code after a call through a table to a function whose capability it has",
      module: `${svc("display_flush", 0)} (table funcref (elem $display_flush))
        ${answering("(call_indirect (result i32) (i32.const 0))")}`,
      capabilities: ["display.write"],
      code: 0,
    },
  ];
  for (const { title, code, ...app } of EXITS)
    test(title, async () => {
      expect((await endOf(app)).lastExit).toEqual({ reason: "exit", code });
    });

  test("its code after calling every ABI function with empty ranges at the end of memory", async () => {
    const calls = APP_ABI.filter(({ name }) => name !== "exit").map((abi) => {
      const pushed = atTheEnd(abi).map((value) => `(i32.const ${value})`);
      return `(drop (call $${abi.name} ${pushed.join(" ")}))`;
    });
    const module = `${callsOf([], APP_ABI)} ${main(calls.join("\n"))}`;
    expect(module).toContain(parametersOf(APP_ABI[0] as AbiFunction));
    expect((await endOf({ module })).lastExit).toEqual({ reason: "exit", code: 0 });
  });
});

/** Every address is the first one past memory, and every length 0. */
function atTheEnd(abi: AbiFunction): number[] {
  const pointers = new Set(abi.bytes?.map(({ pointer }) => pointer));
  return abi.parameters.map((name) => (pointers.has(name) ? 65536 : 0));
}

describe("storage rejects", () => {
  const write = (key: number, keyLength: number, byteLength: number) =>
    `(call $storage_write (i32.const ${key}) (i32.const ${keyLength}) (i32.const 0) (i32.const ${byteLength}))`;
  const writeAt = (key: number, keyLength: number, offset: number, byteLength: number) =>
    `(call $storage_write_at (i32.const ${key}) (i32.const ${keyLength}) (i32.const ${offset}) (i32.const 0) (i32.const ${byteLength}))`;
  const STORAGE = `${svc("storage_write", 4)} ${svc("storage_write_at", 5)} ${svc("storage_size", 2)} (memory 2)
    (data (i32.const 0) "key ../hostile /etc sub/key") (data (i32.const 64) "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk")`;
  const CASES = [
    { name: "a value of 64 KiB and a byte with -28", body: write(0, 3, 65537), code: -28 },
    { name: "a key that leads to a parent with -22", body: write(4, 10, 1), code: -22 },
    { name: "an absolute key with -22", body: write(15, 4, 1), code: -22 },
    { name: "a key with a slash with -22", body: write(20, 7, 1), code: -22 },
    { name: "the key .. with -22", body: write(4, 2, 1), code: -22 },
    { name: "an empty key with -22", body: write(0, 0, 1), code: -22 },
    { name: "a key of 33 characters with -22", body: write(64, 33, 1), code: -22 },
    { name: "a key of 64 KiB with -22", body: write(0, 65536, 1), code: -22 },
    {
      name: "a second value past 64 KiB in total with -28",
      body: `(drop ${write(64, 1, 65536)}) ${write(0, 3, 1)}`,
      code: -28,
    },
    {
      name: "a part of a value that is not there, past its beginning, with -22",
      body: writeAt(0, 3, 1, 1),
      code: -22,
    },
    { name: "a part before the beginning with -22", body: writeAt(0, 3, -2, 1), code: -22 },
    { name: "a part of a key with a slash with -22", body: writeAt(20, 7, -1, 1), code: -22 },
    { name: "a part of 64 KiB and a byte with -28", body: writeAt(0, 3, -1, 65537), code: -28 },
    {
      name: "a part past 64 KiB in total with -28",
      body: `(drop ${writeAt(64, 1, -1, 65536)}) ${writeAt(0, 3, -1, 1)}`,
      code: -28,
    },
  ];
  for (const { name, body, code } of CASES)
    test(`${name}, and stores nothing`, async () => {
      await console.app("uninstall", "hostile");
      const app = { module: `${STORAGE} ${answering(body)}`, memory_quota: 2 * 65536 };
      expect((await endOf(app)).lastExit).toEqual({ reason: "exit", code });
      const size = `(call $storage_size (i32.const 0) (i32.const 3))`;
      const look = { module: `${STORAGE} ${answering(size)}`, memory_quota: 2 * 65536 };
      expect((await endOf(look)).lastExit).toEqual({ reason: "exit", code: -2 });
    });
});

test("An app that stops itself ends as stopped, without a warning in the log", async () => {
  const from = console.stderr.length;
  const { lastExit, line } = await endOf({
    module: `${svc("app_stop", 2)} (memory 1) (data (i32.const 0) "hostile")
      ${main("(drop (call $app_stop (i32.const 0) (i32.const 7))) unreachable")}`,
  });
  expect(lastExit).toEqual({ reason: "stopped" });
  expect(line).toMatch(/ I apps: "hostile" ended: stopped$/);
  expect(console.stderr.slice(from).filter((text) => / [WE] /.test(text))).toEqual([]);
});
