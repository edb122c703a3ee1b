/** Modules that are made small or fast (`svc app build --optimize`). */
import { afterAll, describe, expect, test } from "vitest";
import { compileApp } from "../../../sdk/builder/build-app.js";
import { isMissing, lacksCompiler } from "../../hosts/peers.js";
import { AppDirectories, type Files, run } from "./app-directories.js";
import { COMPILE_TIMEOUT_MS } from "./examples.js";

const directories = new AppDirectories();
afterAll(() => directories.remove());

describe("an app that is optimized for speed computes the same by other code", {
  timeout: COMPILE_TIMEOUT_MS,
}, () => {
  const expectOtherCode = async (files: Files) => {
    const directory = directories.make(files);
    const [small, fast, again] = await Promise.all(
      (["size", "speed", "speed"] as const).map(async (goal) => (await compileApp(directory, goal)).module),
    );
    if (!small || !fast || !again) throw new Error("There is no module");
    expect([run(small).result, run(fast).result]).toEqual([4950, 4950]);
    expect(Buffer.from(fast).equals(small)).toBe(false);
    expect(Buffer.from(fast).equals(again)).toBe(true);
  };

  test("in AssemblyScript", () =>
    expectOtherCode({
      "main.ts": `function all(numbers: StaticArray<i32>): i32 {
          let sum = 0; for (let at = 0; at < numbers.length; at++) sum += numbers[at]; return sum; }
        export function main(): i32 {
          const numbers = new StaticArray<i32>(100);
          for (let at = 0; at < 100; at++) numbers[at] = at;
          return all(numbers) + all(numbers.slice<StaticArray<i32>>(0, 0)); }`,
    }));

  const MAIN_C = `#include <svc.h>
    static volatile int32_t numbers[100];
    static void set(int32_t at) { for (int32_t i = 0; i < at; i++) numbers[at] += 1; }
    SVC_EXPORT(main) int32_t run(void) {
      int32_t sum = 0;
      for (int32_t at = 0; at < 100; at++) set(at);
      for (int32_t at = 0; at < 100; at++) sum += numbers[at];
      return sum; }`;
  test.skipIf(isMissing("clang"))("in C", () => expectOtherCode({ "main.c": MAIN_C }));

  test.skipIf(lacksCompiler("rust"))("in Rust", () =>
    expectOtherCode({
      "main.rs": `svc::main!(run);
        fn run() -> i32 { let table: Vec<i32> = (0..100).collect(); table.iter().map(|n| unsafe { std::ptr::read_volatile(n) }).sum() }`,
    }),
  );
});
