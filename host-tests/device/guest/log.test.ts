import { expect, test } from "vitest";
import { runGuest } from "./guest-under-test.js";

const LOG = `(import "svc" "log" (func $log (param i32 i32 i32) (result i32)))`;

/** Logs the bytes, written as in the text format, and exits with what log() says. */
function logging(bytes: string, byteLength: number, level = 1): string {
  return `${LOG} (memory 1) (data (i32.const 0) "${bytes}")
    (func (export "main") (result i32) (call $log (i32.const ${level}) (i32.const 0) (i32.const ${byteLength})))`;
}

const TEXTS = [
  {
    name: "text of one to four bytes a character is kept",
    bytes: "a\\c3\\a4\\e2\\82\\ac\\f0\\9f\\98\\80",
    length: 10,
    text: "aä€😀",
  },
  { name: "an empty line is logged", bytes: "", length: 0, text: "" },
  { name: "a byte that is not UTF-8 is replaced", bytes: "a\\ffb", length: 3, text: "a\ufffdb" },
  { name: "a truncated character is replaced", bytes: "a\\e2\\82", length: 3, text: "a\ufffd" },
  { name: "a surrogate is replaced", bytes: "\\ed\\a0\\80", length: 3, text: "\ufffd\ufffd\ufffd" },
  { name: "NUL is kept", bytes: "a\\00b", length: 3, text: "a\u0000b" },
  { name: "a line feed is kept", bytes: "a\\0ab", length: 3, text: "a\nb" },
];
for (const { name, bytes, length, text } of TEXTS)
  test(name, async () => {
    const run = await runGuest({ module: logging(bytes, length) });
    expect(run.exit).toEqual({ reason: "exit", code: 0 });
    expect(run.logs()).toEqual([{ level: 1, text, lost: 0 }]);
  });

test("a line is cut at 256 bytes, between characters", async () => {
  const run = await runGuest({ module: logging("\\e2\\82\\ac".repeat(100), 300) });
  expect(run.logs()).toEqual([{ level: 1, text: "€".repeat(85), lost: 0 }]);
});

test("a line as long as memory is cut at 256 bytes", async () => {
  const run = await runGuest({ module: logging("\\41".repeat(300), 65_536) });
  expect(run.logs()).toEqual([{ level: 1, text: "A".repeat(256), lost: 0 }]);
});

for (const level of [-1, 4, 0x7fffffff])
  test(`level ${level} returns -22 and logs nothing`, async () => {
    const run = await runGuest({ module: logging("a", 1, level) });
    expect([run.exit.code, run.logs()]).toEqual([-22, []]);
  });

test("the newest 32 lines are kept, and the oldest of them carries the number of lost lines", async () => {
  const run = await runGuest({
    module: `${LOG} (memory 1)
      (func (export "main") (local $i i32)
        (loop
          (i32.store8 (i32.const 0) (i32.add (i32.const 48) (i32.rem_u (local.get $i) (i32.const 10))))
          (drop (call $log (i32.const 1) (i32.const 0) (i32.const 1)))
          (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 100)))))`,
    onLog: "", // nothing is taken until the app has ended
  });
  const logs = run.logs();
  expect(logs.map(({ text }) => text).join("")).toBe(
    Array.from({ length: 32 }, (_, index) => (68 + index) % 10).join(""),
  );
  expect(logs.map(({ lost }) => lost)).toEqual([68, ...Array(31).fill(0)]);
});

test("an app that logs endlessly does not delay the console's timers", async () => {
  const run = await runGuest({
    module: `${LOG} (memory 1)
      (func (export "main") (loop (drop (call $log (i32.const 1) (i32.const 0) (i32.const 9))) (br 0)))`,
    onLog: "while (guest.takeLog());",
    after: `
      let turns = 0;
      const began = system.uptimeMs();
      timer.repeat(() => {
        if (++turns < 20) return;
        if (turns === 20) { say(system.uptimeMs() - began); guest.stop(); }
      }, 10);`,
  });
  const [elapsed] = run.said.filter((event) => typeof event === "number");
  expect(elapsed).toBeGreaterThanOrEqual(190);
});

test("onLog is called until every line is taken", async () => {
  const run = await runGuest({
    module: `${LOG} (import "svc" "sleep_ms" (func $sleep (param i32))) (memory 1)
      (func (export "main") (local $i i32)
        (loop
          (drop (call $log (i32.const 1) (i32.const 0) (i32.const 0)))
          (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 20))))
        (call $sleep (i32.const 0x7fffffff)))`,
    onLog: `guest.takeLog(); guest.taken = (guest.taken ?? 0) + 1; if (guest.taken === 20) guest.stop();`,
  });
  expect(run.exit).toEqual({ reason: "stopped" });
});
