/** The player's engine: gates of the ABI that no installable app reaches, and modules with names that get in the way. */
import { expect, test } from "vitest";
import { readManifest } from "../../../../protocol/manifest/manifest.js";
import { exposed } from "../../../../protocol/module-file.js";
import { AppHost } from "../../../../web/player/app-host.js";
import { runModule } from "../../../../web/player/run-module.js";
import { Font } from "../../../../web/player/screen.js";
import { SharedMemory } from "../../../../web/player/shared-memory.js";
import { stackProbe } from "../../../../web/player/stack-probe.js";
import { manifestOf, moduleOf } from "../../../hosts/app-files.js";

async function run(fields: string, { isInFront = true, capabilities = [] as readonly string[] } = {}) {
  const manifest = readManifest(JSON.stringify(manifestOf({ capabilities })));
  const shared = new SharedMemory();
  shared.isInFront = isInFront;
  const font = new Font(new Uint8Array(0));
  const [script, values] = [undefined, new Uint8Array(0)];
  const host = new AppHost({ ...manifest, script, shared, values, font, stackLeft: stackProbe() });
  const module = await moduleOf(`(module ${fields})`);
  const hasMemory = /\(memory /.test(fields);
  return { exit: runModule({ manifest, module, hasMemory, takesArguments: false }, host), shared };
}

test("a call without the capability traps", async () => {
  const fields = `(import "svc" "display_flush" (func $flush (result i32)))
    (func $main (export "main") (result i32) (call $flush))`;
  expect((await run(fields)).exit).toEqual({
    reason: "trap",
    message: "capability",
    stack: [expect.stringMatching(/^main@[0-9a-f]+$/)],
  });
  const { exit } = await run(fields, { capabilities: ["display.write"] });
  expect(exit).toEqual({ reason: "exit", code: 0 });
});

test("an app that is not in front draws nothing and reads no buttons", async () => {
  const fields = `(import "svc" "display_fill" (func $fill (param i32 i32 i32 i32 i32) (result i32)))
    (import "svc" "display_flush" (func $flush (result i32)))
    (import "svc" "display_clip" (func $clip (param i32 i32 i32 i32) (result i32)))
    (import "svc" "buttons" (func $buttons (result i32)))
    (func (export "main") (result i32)
      (i32.add (call $buttons) (i32.add (call $flush) (i32.add
        (call $clip (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 1))
        (call $fill (i32.const 0) (i32.const 0) (i32.const 9) (i32.const 9) (i32.const 1))))))`;
  const { exit, shared } = await run(fields, {
    isInFront: false,
    capabilities: ["display.write", "gpio.read"],
  });
  expect(exit).toEqual({ reason: "exit", code: -48 });
  expect(shared.pictures.count).toBe(0);
});

test("names that the player gives to exports are taken by no app", async () => {
  const fields = `(import "svc" "log" (func $log (param i32 i32 i32) (result i32)))
    (memory 1) (data (i32.const 0) "hi") (global $g (mut i32) (i32.const 0))
    (func $begin (global.set $g (call $log (i32.const 1) (i32.const 0) (i32.const 2)))) (start $begin)
    (func $none) (export "memory of the app" (func $none)) (export "start of the app" (func $none))
    (func (export "main") (result i32) (global.get $g))`;
  const { exit, shared } = await run(fields);
  expect(exit).toEqual({ reason: "exit", code: 0 });
  expect(shared.takeLog().map(({ text }) => text)).toEqual(["hi"]);
  const { memory, start } = exposed(await moduleOf(`(module ${fields})`), true);
  expect([memory, start]).toEqual(["memory of the app'", "start of the app'"]);
});

test("a module without memory has no range but the empty one at 0", async () => {
  const call = (
    address: number,
    length: number,
  ) => `(import "svc" "random" (func $random (param i32 i32) (result i32)))
    (func (export "main") (result i32) (call $random (i32.const ${address}) (i32.const ${length})))`;
  expect((await run(call(0, 0))).exit).toEqual({ reason: "exit", code: 0 });
  expect((await run(call(0, 1))).exit).toMatchObject({ reason: "trap" });
  expect((await run(call(1, 0))).exit).toMatchObject({ reason: "trap" });
});

test("stack_left falls with the depth of calls, and ends at 0 before the browser's own stack", () => {
  const left = stackProbe();
  expect(left()).toBe(8192);
  const seen = new Set<number>();
  const deeper = (): void => {
    seen.add(left());
    deeper();
  };
  expect(deeper).toThrow(RangeError);
  expect(Math.min(...seen)).toBeLessThan(2048);
});
