/** Threads of the kernel that the board in QEMU runs on, as the programs of others see them. */
import { beforeAll, describe, expect, test } from "vitest";
import { isMissing } from "../hosts/peers.js";
import { buildKernelProgram, type Program, runKernelProgram } from "./kernel-program.js";

/** By its name, what a scene of native/scenes.h has said. */
function scenesOf(lines: readonly string[]): Map<string, string[]> {
  const scenes = new Map<string, string[]>();
  for (const line of lines) {
    if (line.startsWith("# ")) scenes.set(line.slice(2), []);
    else [...scenes.values()].at(-1)?.push(line);
  }
  return scenes;
}

describe.skipIf(isMissing("rv32"))("Threads on RV32", () => {
  let program: Program;
  let scenes: Map<string, string[]>;
  let lines: string[];

  beforeAll(async () => {
    program = await buildKernelProgram("threads", [
      ...["threads-test.c", "switch-scenes.c", "time-scenes.c", "life-scenes.c", "registers.S"].map(
        (file) => `host-tests/rv32/native/${file}`,
      ),
      "device/hosts/posix/native/process/fair-mutex.c",
    ]);
    const run = await runKernelProgram(program);
    expect(run.status, run.lines.join("\n")).toBe(0);
    lines = run.lines;
    scenes = scenesOf(lines);
  });

  const scene = (name: string) => scenes.get(name);

  test("switch only when they wait", () => {
    expect(scene("switches")).toEqual([
      "machine waits",
      "a 1",
      "b 1",
      "worker begins",
      "worker ends",
      "a 2",
      "b 2",
      "a 3",
      "b 3",
      "machine goes on",
    ]);
  });

  test("run once in a round: a thread that is woken in it runs in the next", () => {
    expect(scene("rounds")).toEqual([
      "a waits",
      "b wakes those that wait",
      "a round",
      "a goes on",
      "a round",
      "none",
      "none waits for a time",
      "a round",
      "none",
      "the next is at 3600 s",
      "none",
      "a round",
    ]);
  });

  test("are woken by their condition: one by signal, all waiters by broadcast, none by a later wait", () => {
    expect(scene("conditions")).toEqual([
      "a waits",
      "b waits",
      "c waits",
      "one",
      "a goes on",
      "all",
      "b goes on",
      "c goes on",
      "none",
      "the other",
      "stranger goes on",
    ]);
  });

  test("wait for a condition until a time at most", () => {
    expect(scene("times")).toEqual([
      "none wakes: late, at its time",
      "another wakes: woken, before its time",
      "it is over: late, at its time",
      "before power on: late, at its time",
      "no time: invalid",
    ]);
  });

  test("wake in order of their times", () => {
    expect(scene("order")).toEqual([
      "10: late, at its time",
      "20: late, at its time",
      "25: machine",
      "30: late, at its time",
    ]);
  });

  test("get a mutex in the order of their requests", () => {
    expect(scene("mutexes")).toEqual([
      "machine unlocks",
      "a 1",
      "b 1",
      "machine has it again",
      "a 2",
      "b 2",
      "none has it",
    ]);
  });

  test("return their result at join, before and after their end", () => {
    expect(scene("results")).toEqual(["waited for", "over for long", "joined by another", "itself: refused"]);
  });

  test("leak no memory, joined or detached", () => {
    expect(scene("memory")).toEqual([
      "joined: no more memory",
      "detached: no more memory",
      "detached after their end: no more memory",
      "too large: refused",
      "too small: refused",
    ]);
  });

  test("have their own thread-local variables, errno among them", () => {
    expect(scene("locals")).toEqual([
      "a 7 0 0, aligned",
      "b 7 0 0, aligned",
      "a 17 20 16, aligned",
      "b 17 20 16, aligned",
      "each its own",
      "machine 1 2 0, aligned",
    ]);
  });

  test("keep their registers over a switch", () => {
    expect(scene("registers")).toEqual(["0, 0, 0"]);
  });

  test("have aligned stacks of any size", () => {
    expect(scene("stacks")).toEqual(["aligned", "aligned", "aligned"]);
  });

  test("have a clock that advances with instructions and waits", () => {
    expect(scene("clock")).toEqual([
      "1600 instructions",
      "15000 ns",
      "after an hour, of less than 1000 instructions",
      "all clocks are one",
    ]);
  });

  test("execute the same instructions in each run", async () => {
    expect(scene("count")).toEqual([expect.stringMatching(/^\d{5,} instructions$/)]);
    expect((await runKernelProgram(program)).lines).toEqual(lines);
  });
});

const FAILURES = [
  { failure: "wait_for_no_thread", says: "the machine waits for a thread, and all of them wait as well" },
  { failure: "wait_for_waiter", says: "the machine waits for a thread, and all of them wait as well" },
  { failure: "lock_again", says: "a thread locks a mutex that it has" },
  { failure: "unlock_of_another", says: "a thread unlocks a mutex that it has not" },
  { failure: "leave_stack", says: "a thread has left its stack" },
];

describe.skipIf(isMissing("rv32"))("A program on RV32 ends with a message", () => {
  for (const { failure, says } of FAILURES) {
    test(`for ${failure.replaceAll("_", " ")}`, async () => {
      const flags = [`-DFAILURE=${failure}`, "-Wno-unused-function"];
      const source = "host-tests/rv32/native/failing-threads.c";
      const run = await runKernelProgram(await buildKernelProgram(`threads-${failure}`, [source], flags));
      expect(run.lines).toEqual([`threads: ${says}`]);
      expect(run.status).not.toBe(0);
    });
  }
});
