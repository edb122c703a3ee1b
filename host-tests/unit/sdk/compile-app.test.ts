import path from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { ABI } from "../../../device/wasm/abi.js";
import { FIRMWARE_CAPABILITY } from "../../../protocol/capabilities.js";
import { appendCustomSection } from "../../../protocol/custom-section.js";
import { buildApp, compileApp } from "../../../sdk/builder/build-app.js";
import { compileC } from "../../../sdk/builder/c.js";
import { runCompiler } from "../../../sdk/builder/run-compiler.js";
import { moduleOf } from "../../hosts/app-files.js";
import { isMissing, lacksCompiler } from "../../hosts/peers.js";
import { AppDirectories, type Files, run } from "./app-directories.js";
import { AppHost } from "./app-host.js";
import { COMPILE_TIMEOUT_MS } from "./examples.js";

const directories = new AppDirectories();
afterAll(() => directories.remove());
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Compiles an app of those files beside a manifest. */
async function compile(files: Files, memory_quota = 65536): Promise<Uint8Array> {
  return (await compileApp(directories.make(files, memory_quota))).module;
}

const PLAIN = () => moduleOf(`(module (func (export "main") (result i32) i32.const 42))`);

function runToTrap(module: Uint8Array): AppHost {
  const host = new AppHost();
  expect(() => host.run(module, () => undefined)).toThrow(/unreachable|out of bounds|outside the bounds/);
  return host;
}

describe("an app has the memory that its manifest asks for, in whole pages", {
  timeout: COMPILE_TIMEOUT_MS,
}, () => {
  const pagesOf = (module: Uint8Array) => new AppHost().load(module).memory.buffer.byteLength / 65536;

  test("in AssemblyScript, for its arrays", async () => {
    const main = "export function main(): i32 { return new Uint8Array(150000).length; }";
    expect(pagesOf(await compile({ "main.ts": main }, 200_000))).toBe(3);
    expect(run(await compile({ "main.ts": main }, 262_144)).result).toBe(150_000);
    runToTrap(await compile({ "main.ts": main }, 131_072));
  });

  test.skipIf(isMissing("clang"))("in C, for its variables", async () => {
    const main = `#include <svc.h>
      static volatile char table[150000];
      SVC_EXPORT(main) int32_t run(void) { table[149999] = 7; return table[149999] + (int32_t)sizeof(table); }`;
    expect(run(await compile({ "main.c": main }, 196_608)).result).toBe(150_007);
    await expect(compile({ "main.c": main }, 131_072)).rejects.toThrow(/memory/);
  });

  test.skipIf(lacksCompiler("rust"))("in Rust, for its heap", async () => {
    const main = `svc::main!(run);
      fn run() -> i32 { let table = vec![7u8; 150_000]; table.len() as i32 + table[149_999] as i32 }`;
    expect(pagesOf(await compile({ "main.rs": main }, 200_000))).toBe(3);
    expect(run(await compile({ "main.rs": main }, 262_144)).result).toBe(150_007);
    runToTrap(await compile({ "main.rs": main }, 131_072));
  });

  test.skipIf(lacksCompiler("zig"))("in Zig, for its allocators", async () => {
    const main = `const std = @import("std");
      const svc = @import("svc/svc.zig");
      export fn main() i32 {
          var fixed = std.heap.FixedBufferAllocator.init(svc.memory());
          const table = fixed.allocator().alloc(u8, 150_000) catch return -1;
          @memset(table, 7);
          return @as(i32, @intCast(table.len)) + table[149_999];
      }`;
    expect(pagesOf(await compile({ "main.zig": main }, 200_000))).toBe(3);
    expect(run(await compile({ "main.zig": main }, 200_000)).result).toBe(150_007);
    expect(run(await compile({ "main.zig": main }, 131_072)).result).toBe(-1);
  });
});

describe("an app in AssemblyScript", { timeout: COMPILE_TIMEOUT_MS }, () => {
  test("may have several files", async () => {
    const module = await compile({
      "main.ts": `import { answer } from "./answer"; export function main(): i32 { return answer; }`,
      "answer.ts": "export const answer: i32 = 42;",
    });
    expect(run(module).result).toBe(42);
  });

  test("logs what failed and where, then traps", async () => {
    const module = await compile({
      "main.ts": `import { random } from "svc";
        export function main(): i32 { return pick(new Uint8Array(3)); }
        function pick(bytes: Uint8Array): i32 { random(bytes); return bytes[3 + (bytes[0] & 1)]; }`,
    });
    const { log } = runToTrap(module);
    expect(log).toEqual([
      { level: 3, text: expect.stringMatching(/typedarray\.ts:\d+: Index out of range$/) },
    ]);
  });

  test("truncates a message that is too long for a line", async () => {
    const module = await compile({
      "main.ts": `export function main(): i32 { throw new Error("${"é".repeat(500)}"); }`,
    });
    const { log } = runToTrap(module);
    expect(log[0]?.text).toMatch(/^main\.ts:1: é+$/);
    expect(Buffer.byteLength(log[0]?.text ?? "")).toBeLessThanOrEqual(192);
  });

  test("truncates a file name that is too long for a line", async () => {
    const name = "語".repeat(80);
    const module = await compile({
      "main.ts": `import { fail } from "./${name}"; export function main(): i32 { fail(); return 0; }`,
      [`${name}.ts`]: "export function fail(): void { assert(false, 'not to be seen whole'); }",
    });
    const { log } = runToTrap(module);
    expect(log[0]?.text).toMatch(/^語{60}:1: $/);
  });

  test("may use texts without making any", async () => {
    const module = await compile({
      "main.ts": `export function main(): i32 { return "abc".charCodeAt(1); }`,
    });
    expect(run(module).result).toBe(98);
  });

  test("traps when its stack overflows", async () => {
    const module = await compile({
      "main.ts": `export function main(): i32 { return deep(new Uint8Array(1), 0); }
        function deep(bytes: Uint8Array, depth: i32): i32 {
          return depth > 4096 ? 0 : deep(bytes.subarray(0), depth + 1) + bytes.length;
        }`,
    });
    expect(runToTrap(module).log[0]?.text).toContain("stack overflow");
  });

  const logOf = async (body: string, startedAtMs?: number) => {
    const module = await compile({ "main.ts": `export function main(): i32 { ${body} return 0; }` });
    const host = new AppHost();
    host.startedAtMs = startedAtMs;
    expect(host.run(module, () => undefined)).toBe(0);
    return host.log;
  };

  test("logs by console and trace", async () => {
    const log = await logOf(`
      console.log("two\\nlines"); console.info("info"); console.debug("debug"); console.warn("warn"); console.error("error");
      console.assert(true, "unseen"); console.assert(false, "seen"); console.assert(false);
      trace("values", 2, 1, 2.5); trace("none");`);
    expect(log).toEqual([
      { level: 1, text: "two" },
      { level: 1, text: "lines" },
      { level: 1, text: "info" },
      { level: 0, text: "debug" },
      { level: 2, text: "warn" },
      { level: 3, text: "error" },
      { level: 3, text: "Assertion failed: seen" },
      { level: 3, text: "Assertion failed" },
      { level: 1, text: "values 1.0, 2.5" },
      { level: 1, text: "none" },
    ]);
  });

  test("measures by console.time, performance and process, by the time since the console started", async () => {
    const log = await logOf(`
      console.time("loop"); raw.sleep_ms(40); console.timeLog("loop"); console.timeEnd("loop"); console.timeEnd("loop");
      console.log(performance.now().toString() + " " + process.hrtime().toString()); return 0; } import { raw } from "svc"; function rest(): i32 {`);
    expect(log.map(({ text }) => text)).toEqual([
      "loop: 40 ms",
      "loop: 40 ms",
      "Timer 'loop' does not exist",
      "40.0 40000000",
    ]);
  });

  test("has the console's time of day in Date, and until the console knows it, the time since its start", async () => {
    const body = "raw.sleep_ms(40); console.log(new Date(Date.now()).toISOString());";
    const source = `${body} return 0; } import { raw } from "svc"; function rest(): i32 {`;
    expect(await logOf(source, 1_700_000_000_000)).toMatchObject([{ text: "2023-11-14T22:13:20.040Z" }]);
    expect(await logOf(source)).toMatchObject([{ text: "1970-01-01T00:00:00.040Z" }]);
  });

  test("gets its chance from the console, in Math, Mathf, JSMath and crypto", async () => {
    const module = await compile({
      "main.ts": `export function main(): i32 {
        console.log([Math.random(), Math.random(), JSMath.random()].join(" "));
        console.log(Mathf.random().toString());
        const bytes = new Uint8Array(8);
        crypto.getRandomValues(bytes);
        console.log(bytes.join(" "));
        return 0;
      }`,
    });
    const drawn = [1, 2].map((seed) => {
      const host = new AppHost({ seed });
      host.run(module, () => undefined);
      return host.log.flatMap(({ text }) => text.split(" "));
    });
    const [one = [], other = []] = drawn;
    expect(one).toHaveLength(12);
    for (const number of one.slice(0, 4).map(Number)) expect(number >= 0 && number < 1).toBe(true);
    expect(new Set(one.slice(0, 4)).size).toBe(4);
    for (const at of [0, 1, 2, 3]) expect(one[at]).not.toBe(other[at]);
    expect(one.slice(4)).not.toEqual(other.slice(4));
  });

  test("has no arguments, and ends by process.exit", async () => {
    const module = await compile({
      "main.ts": "export function main(): i32 { process.exit(process.argv.length + 3); return 0; }",
    });
    const host = new AppHost();
    host.run(module, () => undefined);
    expect(host.exitCodes).toEqual([3]);
  });

  test("is rejected if the compiler crashes, and the next one compiles", async () => {
    const quiet = vi.spyOn(console, "error").mockReturnValue();
    const sum = `export function main(a: i32): i32 { return ${"a + ".repeat(20_000)} a; }`;
    await expect(compile({ "main.ts": sum })).rejects.toMatchObject({
      code: "compile_failed",
      said: expect.stringMatching(/crashed|stack/),
    });
    quiet.mockRestore();
    expect(run(await compile({ "main.ts": "export function main(): i32 { return 7; }" })).result).toBe(7);
  });

  test("is rejected with the compiler's message", async () => {
    await expect(compile({ "main.ts": "export function main(): i32 { return nothing; }" })).rejects.toThrow(
      /^Cannot compile main\.ts: .*nothing/s,
    );
  });
});

describe.skipIf(isMissing("clang"))("an app in C (needs clang)", { timeout: COMPILE_TIMEOUT_MS }, () => {
  test("may name its entry main", async () => {
    expect(run(await compile({ "main.c": "int main(void) { return 42; }" })).result).toBe(42);
  });

  test("may have several files, and copy memory", async () => {
    const module = await compile({
      "main.c": `#include "svc.h"
        struct big { char bytes[300]; };
        struct big make(int32_t value);
        SVC_EXPORT(main) int32_t run(void) { struct big big = make(42), copy = big; return copy.bytes[299]; }`,
      "make.c": `#include "svc.h"
        struct big { char bytes[300]; };
        struct big make(int32_t value) { struct big big = { { 0 } }; big.bytes[299] = (char)value; return big; }`,
    });
    expect(run(module).result).toBe(42);
  });

  test("traps when its stack overflows", async () => {
    const module = await compile({
      "main.c": `#include "svc.h"
        static int32_t deep(int32_t depth)
        {
          char bytes[100];
          svc_random(bytes, sizeof bytes);
          return depth > 50 ? 0 : deep(depth + 1) + svc_random(bytes, sizeof bytes);
        }
        SVC_EXPORT(main) int32_t run(void) { return deep(0); }`,
    });
    runToTrap(module);
  });

  test("is rejected with the compiler's message", async () => {
    const result = compile({ "main.c": "int run(void) { return nothing; }" });
    await expect(result).rejects.toThrow(/^Cannot compile main\.c: .*nothing/s);
  });
});

describe.skipIf(isMissing("clang"))("an app in C++ (needs clang)", { timeout: COMPILE_TIMEOUT_MS }, () => {
  test("has its static objects constructed, and calls virtual functions", async () => {
    const module = await compile({
      "main.cpp": `#include "svc.h"
        int half();
        struct Shape { virtual ~Shape() {} virtual int32_t area() const = 0; };
        struct Square : Shape { int32_t side; Square(int32_t s) : side(s) {} int32_t area() const override { return side * side; } };
        volatile int32_t start = 6;
        static Square square(start);
        const Shape &pick();
        const Shape &pick() { return square; }
        SVC_EXPORT(main) int32_t run() { return pick().area() + half(); }`,
      "half.cc": "int half(); int half() { static int calls = 5; return ++calls; }",
    });
    expect(run(module).result).toBe(42);
  });

  test("may have files in C", async () => {
    const module = await compile({
      "main.cpp": `#include "svc.h"
        extern "C" int32_t answer(void);
        SVC_EXPORT(main) int32_t run() { return answer(); }`,
      "answer.c": "#include <stdint.h>\nint32_t answer(void);\nint32_t answer(void) { return 42; }",
    });
    expect(run(module).result).toBe(42);
  });

  test("traps when its stack overflows", async () => {
    const module = await compile({
      "main.cpp": `#include "svc.h"
        static int32_t deep(int32_t depth)
        {
          char bytes[100];
          svc_random(bytes, sizeof bytes);
          return depth > 50 ? 0 : deep(depth + 1) + svc_random(bytes, sizeof bytes);
        }
        SVC_EXPORT(main) int32_t run() { return deep(0); }`,
    });
    runToTrap(module);
  });

  test("is rejected with the compiler's message, or the linker's for a heap", async () => {
    const exception = compile({ "main.cpp": "int run() { throw 1; }" });
    await expect(exception).rejects.toThrow(/^Cannot compile main\.cpp: .*exceptions disabled/s);
    const heap = compile({
      "main.cpp": `#include "svc.h"
        SVC_EXPORT(main) int32_t run() { return *new int32_t(svc_buttons()); }`,
    });
    await expect(heap).rejects.toThrow(/operator new/);
  });
});

describe.skipIf(lacksCompiler("rust"))(
  "an app in Rust (needs rustc)",
  { timeout: COMPILE_TIMEOUT_MS },
  () => {
    test("may have several files, and says what it likes", async () => {
      const module = await compile({
        "main.rs": `mod answer;
        svc::main!(run);
        fn run() -> i32 { svc::log_line(svc::level::WARNING, format_args!("{}!", "é".repeat(300))); answer::ANSWER }`,
        "answer.rs": "pub const ANSWER: i32 = 42;",
      });
      const { result, log } = run(module);
      expect(result).toBe(42);
      expect(log).toEqual([{ level: 2, text: "é".repeat(96) }]);
    });

    test("uses its heap again, in whatever order it is freed", async () => {
      const module = await compile(
        {
          "main.rs": `use std::collections::HashMap;
          svc::main!(run);
          /// Keeps up to 40 blocks of up to 3000 bytes, each filled with its number, and looks at each before it is freed.
          fn run() -> i32 {
              let mut kept: HashMap<u32, Vec<u8>> = HashMap::new();
              let mut seed = 1u32;
              for turn in 0..20_000u32 {
                  seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                  let key = (seed >> 24) % 40;
                  if let Some(old) = kept.remove(&key) {
                      if old.iter().any(|&byte| byte != key as u8) { return -(turn as i32); }
                  } else {
                      kept.insert(key, vec![key as u8; (seed >> 8) as usize % 3000 + 1]);
                  }
              }
              kept.clear();
              let whole = vec![1u8; 150_000];
              whole.iter().map(|&byte| byte as i32).sum()
          }`,
        },
        196_608,
      );
      expect(run(module).result).toBe(150_000);
    });

    test("aligns what it allocates", async () => {
      const module = await compile({
        "main.rs": `#[repr(align(256))] struct Wide(u8);
        svc::main!(run);
        fn run() -> i32 {
            let (a, b, c) = (Box::new(Wide(1)), Box::new(7u8), Box::new(Wide(2)));
            (&*a as *const Wide as i32 | &*c as *const Wide as i32) % 256 + a.0 as i32 + *b as i32 + c.0 as i32
        }`,
      });
      expect(run(module).result).toBe(10);
    });

    test("logs a panic with its place, then traps", async () => {
      const module = await compile({
        "main.rs": `svc::main!(run);
        fn run() -> i32 { let mut bytes = [0u8; 3]; svc::random(&mut bytes); bytes[3 + (bytes[0] & 1) as usize] as i32 }`,
      });
      const { log } = runToTrap(module);
      expect(log).toEqual([
        { level: 3, text: expect.stringMatching(/^main\.rs:2: index out of bounds: the len is 3/) },
      ]);
    });

    test("traps when its stack overflows", async () => {
      const module = await compile({
        "main.rs": `svc::main!(run);
        fn deep(depth: i32) -> i32 {
            let mut bytes = [0u8; 400];
            svc::random(&mut bytes);
            if depth > 50 { 0 } else { deep(depth + 1) + svc::random(&mut bytes) }
        }
        fn run() -> i32 { deep(0) }`,
      });
      runToTrap(module);
    });

    test("is rejected with the compiler's message", async () => {
      const result = compile({ "main.rs": "svc::main!(run); fn run() -> i32 { nothing }" });
      await expect(result).rejects.toThrow(/^Cannot compile main\.rs: .*nothing/s);
    });
  },
);

describe.skipIf(lacksCompiler("zig"))("an app in Zig (needs zig)", { timeout: COMPILE_TIMEOUT_MS }, () => {
  test("may have several files in directories, and logs formatted lines, cut between letters", async () => {
    const module = await compile({
      "main.zig": `const svc = @import("svc/svc.zig");
        const answer = @import("parts/answer.zig");
        export fn main() i32 {
            svc.print(svc.Level.info, "{d} of {s}", .{ answer.value, "all" });
            svc.print(svc.Level.warning, "-{s}!", .{"é" ** 300});
            return answer.value;
        }`,
      "parts/answer.zig": "pub const value: i32 = 42;",
    });
    const { result, log } = run(module);
    expect(result).toBe(42);
    expect(log).toEqual([
      { level: 1, text: "42 of all" },
      { level: 2, text: `-${"é".repeat(95)}` },
    ]);
  });

  test("calls every function of the console by the types of its declaration", async () => {
    const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
    const uses = ABI.filter(({ capability }) => capability !== FIRMWARE_CAPABILITY).map(
      ({ name }) => `_ = &svc.raw.${name}; _ = used(svc.${camelCase(name)});`,
    );
    const module = await compile({
      "main.zig": `const svc = @import("svc/svc.zig");
        const std = @import("std");
        fn used(comptime function: anytype) void {
            var values: std.meta.ArgsTuple(@TypeOf(function)) = undefined;
            _ = @call(.auto, function, values);
        }
        export fn main() i32 { if (svc.uptimeMs() < 0) { ${uses.join("\n")} } return 42; }`,
    });
    expect(run(module).result).toBe(42);
  });

  test("is told by its pixels that they are too few", async () => {
    const module = await compile({
      "main.zig": `const svc = @import("svc/svc.zig");
        const pixels = [_]u16{0} ** 99;
        export fn main() i32 { return svc.displayBlit(0, 0, 10, 10, &pixels) * 100 + svc.displayBlit(0, 0, 11, 9, &pixels); }`,
    });
    const [invalid, notSupported] = [-22, -38]; // the second one is this host's answer
    expect(run(module).result).toBe(invalid * 100 + notSupported);
  });

  test.each([
    { name: "an index out of bounds", code: "bytes[3 + (bytes[0] & 1)]", message: /^index out of bounds/ },
    { name: "an overflow", code: "255 + (bytes[0] | 1)", message: /^integer overflow/ },
    { name: "@panic", code: 'if (svc.uptimeMs() >= 0) @panic("no more") else 1', message: /^no more$/ },
  ])("logs $name, then traps", async ({ code, message }) => {
    const module = await compile({
      "main.zig": `const svc = @import("svc/svc.zig");
        pub const panic = svc.panic;
        export fn main() i32 { var bytes = [_]u8{0} ** 3; _ = svc.random(&bytes); return ${code}; }`,
    });
    const { log } = runToTrap(module);
    expect(log).toEqual([{ level: 3, text: expect.stringMatching(message) }]);
  });

  test("traps when its stack overflows", async () => {
    const module = await compile({
      "main.zig": `const svc = @import("svc/svc.zig");
        fn deep(depth: i32) i32 {
            var bytes = [_]u8{0} ** 400;
            _ = svc.random(&bytes);
            return if (depth > 50) 0 else deep(depth + 1) + svc.random(&bytes);
        }
        export fn main() i32 { return deep(0); }`,
    });
    runToTrap(module);
  });

  test("is rejected with the compiler's message", async () => {
    const result = compile({ "main.zig": "export fn main() i32 { return nothing; }" });
    await expect(result).rejects.toThrow(/^Cannot compile main\.zig: main\.zig:1:.*nothing/s);
  });
});

describe("a module of another toolchain", () => {
  test("is taken as it is, but for what debuggers need and the manifest in it", async () => {
    const plain = await PLAIN();
    const other = appendCustomSection(plain, "svc_manifest", new TextEncoder().encode("{}"));
    const compiled = await compile({
      "app.wasm": appendCustomSection(other, ".debug_line", new Uint8Array(1_000_000)),
    });
    expect(run(compiled).result).toBe(42);
    expect(Buffer.from(compiled.subarray(0, plain.length))).toEqual(Buffer.from(plain));
    expect(compiled.length).toBeLessThan(plain.length + 200);
  });

  test("is not taken where there are sources", async () => {
    const module = await compile({
      "main.ts": "export function main(): i32 { return 7; }",
      "app.wasm": Buffer.from("no module"),
    });
    expect(run(module).result).toBe(7);
  });

  test.each([
    { name: "no module", content: "PK\x03\x04", message: /^Cannot use "app\.wasm": it does not begin as/ },
    { name: "nothing", content: "", message: /^Cannot use "app\.wasm": it does not begin as/ },
  ])("is rejected if it is $name", async ({ content, message }) => {
    const result = compile({ "app.wasm": Buffer.from(content, "latin1") });
    await expect(result).rejects.toMatchObject({
      code: "module_invalid",
      message: expect.stringMatching(message),
    });
  });

  test.each([
    { name: "cut off", module: async () => (await PLAIN()).subarray(0, 20), code: "module_invalid" },
    {
      name: "importing WASI",
      module: () =>
        moduleOf(`(module (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))
          (func (export "main")))`),
      code: "import_unknown",
    },
    { name: "without an entry", module: () => moduleOf("(module)"), code: "entry_missing" },
    {
      name: "with more memory than the manifest asks for",
      module: () => moduleOf(`(module (memory 2) (func (export "main")))`),
      code: "quota_exceeded",
    },
  ])("is refused by the console's check if it is $name", async ({ module, code }) => {
    const directory = directories.make({ "app.wasm": await module() });
    await expect(buildApp(directory)).rejects.toMatchObject({ code });
  });
});

test.each([
  { file: "main.c", packages: "clang lld" },
  { file: "main.cpp", packages: "clang lld" },
  { file: "main.rs", packages: "rustc libstd-rust-dev-wasm32 lld" },
])("without a compiler for $file, the error names Debian's packages", async ({ file, packages }) => {
  vi.stubEnv("PATH", directories.path);
  const result = compile({ [file]: "" });
  await expect(result).rejects.toMatchObject({
    code: "compiler_missing",
    advice: expect.stringContaining(`apt-get install ${packages}`),
  });
});

test("without a compiler for main.zig, the error says where Zig is from, since Debian has no package", async () => {
  vi.stubEnv("PATH", directories.path);
  const result = compile({ "main.zig": "" });
  await expect(result).rejects.toMatchObject({
    code: "compiler_missing",
    message: "Cannot compile Zig: there is no zig in the path",
    advice: expect.stringContaining("https://ziglang.org/download"),
  });
});

test("a directory without sources is rejected", async () => {
  await expect(compile({})).rejects.toThrow(
    /^Cannot find main\.ts, main\.py, main\.rs, main\.zig, C or C\+\+ files, or app\.wasm in/,
  );
});

test("a manifest that consoles reject is rejected before compilation", async () => {
  const manifest = { name: "app", version: "1.0.0", capabilities: ["display.wirte"], memory_quota: 65536 };
  const result = compile({ "manifest.json": JSON.stringify(manifest), "main.ts": "no source" });
  await expect(result).rejects.toMatchObject({ code: "manifest_invalid" });
});

describe("A directory that was moved away is named as the reason, and no compiler as missing", () => {
  test("for any compiler", async () => {
    const gone = path.join(directories.path, "gone");
    const sources = { sources: "main.rs", directory: gone };
    await expect(runCompiler(process.execPath, ["--version"], sources)).rejects.toMatchObject({
      code: "source_missing",
      message: `Cannot compile the app in "${gone}": the directory is gone`,
    });
  });

  test.skipIf(isMissing("clang"))("in C", async () => {
    await expect(compileC(path.join(directories.path, "gone"), ["main.c"])).rejects.toMatchObject({
      code: "source_missing",
    });
  });
});
