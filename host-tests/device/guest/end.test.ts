import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isNative, runGuest, startGuest } from "./guest-under-test.js";
import { assemble } from "./wat.js";

const SPINNING = `(func (export "main") (loop (br 0)))`;
const SLEEPING = `(import "svc" "sleep_ms" (func $sleep (param i32)))
  (func (export "main") (call $sleep (i32.const 0x7fffffff)))`;
const ASKING = `(import "svc" "ble_stop" (func $ask)) (func (export "main") (loop (call $ask) (br 0)))`;
const LOGGING = `(import "svc" "log" (func $log (param i32 i32 i32))) (memory 1)
  (func (export "main") (loop (call $log (i32.const 1) (i32.const 0) (i32.const 8)) (br 0)))`;

const APPS = [
  { name: "spins", module: SPINNING },
  { name: "sleeps", module: SLEEPING },
  { name: "waits for a service", module: ASKING, onRequest: "" },
  { name: "sends endless requests", module: ASKING },
  { name: "logs endlessly", module: LOGGING, onLog: "while (guest.takeLog());" },
];

for (const { name, ...settings } of APPS) {
  test(`close() ends an app that ${name}, and no callback follows`, async () => {
    const console = await startGuest({
      ...settings,
      capabilities: 0xff,
      after: `
        timer.set(() => {
          guest.close();
          guest.close();
          say("closed");
          timer.set(() => say("quiet"), 50);
        }, 30);`,
    });
    await console.waitForLine(/quiet/);
    const after = console.stderr.slice(console.stderr.indexOf('"closed"') + 1);
    expect(await console.stop()).toBe(0);
    expect(after).toEqual(['"quiet"']);
  });

  test(`a console shuts down cleanly while an app ${name}`, async () => {
    const console = await startGuest({
      ...settings,
      capabilities: 0xff,
      after: `timer.set(() => say("on"), 20);`,
    });
    await console.waitForLine(/on/);
    expect(await console.stop()).toBe(0);
  });

  test(`a console restarts in place while an app ${name}`, async () => {
    const console = await startGuest({
      ...settings,
      capabilities: 0xff,
      after: `
        say(system.resetReason);
        if (system.resetReason === "power_on") timer.set(() => system.restart(), 20);`,
    });
    await console.waitForLine(/"software"/);
    expect(await console.stop()).toBe(0);
  });

  test(`a console whose program crashes while an app ${name} restarts`, async () => {
    const console = await startGuest({
      ...settings,
      capabilities: 0xff,
      after: `
        say(system.resetReason);
        if (system.resetReason === "power_on") timer.set(() => { throw new Error("on purpose"); }, 20);`,
    });
    await console.waitForLine(/"crash"/);
    expect(await console.stop()).toBe(0);
  });
}

test("an exception in onRequest is a crash, and the console restarts", async () => {
  const console = await startGuest({
    module: ASKING,
    capabilities: 0xff,
    onRequest: `
      if (system.resetReason === "power_on") throw new Error("on purpose");
      guest.answer(0);`,
    after: "say(system.resetReason);",
  });
  await console.waitForLine(/"crash"/);
  expect(await console.stop()).toBe(0);
});

/** Then what ought not to follow has its time, from there on. */
const CLOSE = `guest.close(); say("closed"); timer.set(() => say("quiet"), 50);`;
const CALLBACKS = [
  { callback: "onRequest", settings: { module: ASKING, onRequest: CLOSE } },
  { callback: "onLog", settings: { module: LOGGING, onLog: CLOSE } },
];
for (const { callback, settings } of CALLBACKS)
  test(`close() in ${callback} works, and no callback follows`, async () => {
    const console = await startGuest({ ...settings, capabilities: 0xff });
    await console.waitForLine(/quiet/);
    expect(console.stderr).toEqual(['"closed"', '"quiet"']);
    expect(await console.stop()).toBe(0);
  });

test("a closed guest throws at every call but close()", async () => {
  const console = await startGuest({
    module: SPINNING,
    after: `
      guest.close();
      for (const call of [
        () => guest.load(new Uint8Array(1)), () => guest.start("main"), () => guest.stop(), () => guest.request,
        () => guest.writeAnswer(new Uint8Array(1), 0), () => guest.answer(0), () => guest.takeLog(),
      ]) try { call(); say("nothing"); } catch { say("thrown"); }
      guest.close();
      say("done");`,
  });
  await console.waitForLine(/done/);
  expect(console.stderr).toEqual([...Array(7).fill('"thrown"'), '"done"']);
  expect(await console.stop()).toBe(0);
});

test("four apps run concurrently and each ends", async () => {
  const console = await startGuest({
    module: `(import "svc" "sleep_ms" (func $sleep (param i32)))
      (func (export "main") (call $sleep (i32.const 200)))`,
    after: `
      let running = 4;
      const began = system.uptimeMs();
      ended = () => { if (--running === 0) say(system.uptimeMs() - began); };
      for (let more = 0; more < 3; more++) make("main", () => {});`,
  });
  const elapsed = Number(await console.waitForLine(/^\d+$/));
  expect(await console.stop()).toBe(0);
  expect(elapsed).toBeGreaterThanOrEqual(199);
});

test("the memory of an app is freed when it ends", async () => {
  const console = await startGuest({
    memoryQuotaBytes: 64 * 1024 * 1024,
    module: `(memory 1) (func (export "main") (result i32)
      (i32.add (memory.grow (i32.const 1000)) (i32.load8_u (i32.const 65000000))))`,
    entries: Array(12).fill("main"),
  });
  await console.waitForLine(/"ended"/);
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${console.pid}/status`, "utf8"));
  expect(await console.stop()).toBe(0);
  expect(Number(resident?.[1])).toBeLessThan(400_000); // one app has 65,000; the sanitizer keeps some for a while
});

test("a missing entry is reported", async () => {
  const { exit } = await runGuest({ module: `(func (export "other"))` });
  expect(exit).toEqual({ reason: "host_error", message: 'no exported function "main"' });
});

test("an exported memory is not accepted as entry", async () => {
  const { exit } = await runGuest({ module: `(memory (export "main") 1)` });
  expect(exit).toEqual({ reason: "host_error", message: 'no exported function "main"' });
});

test("a function that is named main but not exported is not accepted as entry", async () => {
  const { exit } = await runGuest({ module: `(func $main unreachable)` });
  expect(exit).toEqual({ reason: "host_error", message: 'no exported function "main"' });
});

for (const type of [
  "(param i32)",
  "(param i64 i64)",
  "(param i32 i32 i32)",
  "(result i64)",
  "(result i32 i32)",
])
  test(`an entry of type ${type} is rejected`, async () => {
    const { exit } = await runGuest({ module: `(func (export "main") ${type} unreachable)` });
    expect(exit).toEqual({ reason: "host_error", message: 'parameters or results of "main"' });
  });

test("each export name of a function works as entry", async () => {
  const names = ["a", "b", "c", "d", "main"];
  const { exits } = await runGuest({
    module: `(func $f (result i32) (i32.const 5)) ${names.map((name) => `(export "${name}" (func $f))`).join(" ")}`,
    entries: names,
  });
  expect([...exits.keys()]).toEqual(names);
  expect(new Set([...exits.values()].map(({ code }) => code))).toEqual(new Set([5]));
});

test.skipIf(isNative)("an unprepared module is rejected", async () => {
  const { exit } = await runGuest({ module: assemble(`(module (func (export "main")))`) });
  expect(exit).toEqual({ reason: "host_error", message: "the module has not been prepared" });
});

test("bytes that are not a module are rejected", async () => {
  const { exit } = await runGuest({ module: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) });
  expect(exit.reason).toBe("host_error");
});
