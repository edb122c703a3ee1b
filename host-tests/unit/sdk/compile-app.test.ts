import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compileApp } from "../../../sdk/builder/build-app.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { AppHost } from "./app-host.js";
import { COMPILE_TIMEOUT_MS } from "./examples.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

let apps = 0;
/** Compiles an app of those files beside a manifest. */
async function compile(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const directory = path.join(temporary.path, `app-${++apps}`);
  mkdirSync(directory);
  const manifest = { name: "app", version: "1.0.0", capabilities: [], memory_quota: 65536 };
  for (const [name, text] of Object.entries({ "manifest.json": JSON.stringify(manifest), ...files }))
    writeFileSync(path.join(directory, name), text);
  return (await compileApp(directory)).module;
}

function run(module: Uint8Array): AppHost & { readonly result: number | "stopped" } {
  const host = new AppHost();
  return Object.assign(host, { result: host.run(module, () => undefined) });
}

function runToTrap(module: Uint8Array): AppHost {
  const host = new AppHost();
  expect(() => host.run(module, () => undefined)).toThrow(/unreachable|out of bounds|outside the bounds/);
  return host;
}

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

  test("traps when its stack overflows", async () => {
    const module = await compile({
      "main.ts": `export function main(): i32 { return deep(new Uint8Array(1), 0); }
        function deep(bytes: Uint8Array, depth: i32): i32 {
          return depth > 4096 ? 0 : deep(bytes.subarray(0), depth + 1) + bytes.length;
        }`,
    });
    expect(runToTrap(module).log[0]?.text).toContain("stack overflow");
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

test("a directory without sources is rejected", async () => {
  await expect(compile({})).rejects.toThrow(/^Cannot find main\.ts or C files in/);
});

test("a manifest that consoles reject is rejected before compilation", async () => {
  const manifest = { name: "app", version: "1.0.0", capabilities: ["display.wirte"], memory_quota: 65536 };
  const result = compile({ "manifest.json": JSON.stringify(manifest), "main.ts": "no source" });
  await expect(result).rejects.toMatchObject({ code: "manifest_invalid" });
});
