import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeImage } from "../../../tools/image.js";
import { type Console, ConsoleDidNotStart, startConsole } from "../../hosts/simulator.js";
import { connect, plugIn } from "./peers.js";
import { program } from "./programs.js";

/** Long enough for any start of a small program in one turn. */
const LIMIT_MS = 500;
const SHORT = { SVC_SIM_WATCHDOG_MS: String(LIMIT_MS) };

const RESET = /^console: the watchdog resets it: /;
const resets = (lines: readonly string[]) => lines.filter((line) => RESET.test(line)).length;

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Says why it was started and what it remembers, echoes on USB, and hangs once it is told how. */
const HANGS = `
  import retained from "svc/retained-memory";
  ${program(`
    const words = {
      loop() { for (;;); },
      promises() { const again = () => { Promise.resolve().then(again); }; again(); },
      match() { /^(a+)+$/.test("a".repeat(64) + "b"); },
    };
    const memory = new Uint8Array(8);
    retained.read(memory, 0);
    const listener = listen((from) => {
      new TCP({
        from,
        onReadable() {
          const word = String.fromCharCode(...new Uint8Array(this.read()));
          retained.write(Uint8Array.from(word.padEnd(8), (character) => character.charCodeAt(0)), 0);
          words[word]();
        },
      });
    });
    ports.httpPort = listener.port;
    const serial = new Serial({
      onReadable() { this.write(this.read()); },
      onWritable() {},
      onDataTerminalReady(isReady) { say("plugged " + isReady); },
    });
    say(system.resetReason + " after " + String.fromCharCode(...memory));
  `)}`;

/** Starts the console, makes it hang, and waits for its restart. */
async function hang(how: string, look: (console: Console) => unknown = () => {}): Promise<Console> {
  const console = await startConsole({ image: HANGS, environment: SHORT });
  look(console);
  const client = await connect(console.http);
  client.socket.on("error", () => {});
  client.socket.write(how);
  await console.waitForLine(new RegExp(`^watchdog after ${how} *$`));
  return console;
}

for (const how of ["loop", "promises", "match"])
  test(`a hang ("${how}") is reset, and retained memory survives`, async () => {
    const console = await hang(how);
    expect(resets(console.stderr)).toBe(1);
    expect(await console.stop()).toBe(0);
  });

test("a reset keeps ports and terminal, and prints no second ready line", async () => {
  let terminal = "";
  const console = await hang("loop", ({ usb }) => {
    terminal = readlinkSync(usb);
  });
  const client = await connect(console.http); // at the port chosen at the first start
  client.socket.on("error", () => {});
  client.socket.write("promises");
  await console.waitForLine(/^watchdog after promises$/);
  expect(readlinkSync(console.usb)).toBe(terminal);
  expect(console.stdout).toHaveLength(1);
  expect(await console.stop()).toBe(0);
});

test("a host with the USB port open sees a reset as an unplug and a plug", async () => {
  const console = await startConsole({ image: HANGS, environment: SHORT });
  const host = plugIn(console.usb);
  await console.waitForLine(/^plugged true$/);
  const from = console.stderr.length;
  const client = await connect(console.http);
  client.socket.on("error", () => {});
  client.socket.write("loop");
  await console.waitForLine(/^plugged true$/, from);
  host.write("still here");
  expect(await host.received.until((text) => text.length >= 10)).toBe("still here");
  await host.unplug();
  await console.waitForLine(/^plugged false$/, from);
  await console.stop();
});

/** Open descriptors by kind, and signals blocked, ignored and handled (proc(5)). */
function insides(pid: number): unknown {
  const descriptors = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  const kinds = descriptors.map((target) => target.replace(/^socket:.*/, "socket")).sort();
  return { kinds, signals: readFileSync(`/proc/${pid}/status`, "utf8").match(/^S(ig|hd)\w+:\s+\w+$/gm) };
}

test("a reset leaks no descriptor and no signal", async () => {
  let before: unknown;
  const console = await hang("loop", ({ pid }) => {
    before = insides(pid);
  });
  await expect.poll(() => insides(console.pid)).toEqual(before);
  await console.stop();
});

for (const [place, image] of [
  ["main", program(`if (system.resetReason === "power_on") for (;;);`)],
  ["module scope", `${program("")} if (system.resetReason === "power_on") for (;;);`],
] as const)
  test(`a hang in ${place} is reset, and the console then becomes ready once`, async () => {
    const console = await startConsole({ image, environment: SHORT });
    expect(resets(console.stderr)).toBe(1);
    expect(await console.stop()).toBe(0);
    expect(console.stdout).toHaveLength(1);
  });

test("a program that hangs at every start ends with status 1 after five resets", async () => {
  const image = program("for (;;);");
  const result = await startConsole({ image, environment: SHORT }).catch((error) => error);
  expect(result).toBeInstanceOf(ConsoleDidNotStart);
  expect(result.status).toBe(1);
  expect(resets(result.stderr)).toBe(5);
  expect(result.stderr.at(-1)).toMatch(/5 crashes in a row/);
}, 60_000);

test("a program that alternately hangs and crashes after ready ends with status 1 after five times", async () => {
  const image = program(`timer.set(() => {
    if (system.resetReason === "watchdog") throw new Error("on purpose");
    for (;;);
  }, 1);`);
  const console = await startConsole({ image, environment: SHORT });
  expect(await console.exited).toBe(1);
  expect(resets(console.stderr)).toBe(3);
  expect(console.stderr.at(-1)).toMatch(/5 crashes in a row/);
}, 60_000);

test("an exception after a reset ends a start that was never ready with status 2", async () => {
  const image = program(`
    if (system.resetReason === "watchdog") throw new RangeError("No build option is named so");
    for (;;);
  `);
  const result = await startConsole({ image, environment: SHORT }).catch((error) => error);
  expect(result).toMatchObject({ status: 2 });
  expect(result.stderr).toEqual([expect.stringMatching(RESET), "console: No build option is named so"]);
});

/** Milliseconds of processor time, user and system (proc(5)). */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

test("a busy program that returns regularly is not reset", async () => {
  const image = program(`
    timer.repeat(() => { for (const until = Date.now() + 20; Date.now() < until; ); }, 1);
  `);
  const console = await startConsole({ image, environment: SHORT });
  await expect.poll(() => processorMs(console.pid), { timeout: 20_000 }).toBeGreaterThan(4 * LIMIT_MS);
  expect(resets(console.stderr)).toBe(0);
  expect(await console.stop()).toBe(0);
});

test("waiting for the processor does not count as a hang", async () => {
  const image = program(`
    timer.set(() => {
      const until = Date.now() + ${3.5 * LIMIT_MS};
      say("busy");
      while (Date.now() < until);
      say("done");
    }, 1);
  `);
  const console = await startConsole({ image, environment: SHORT });
  await console.waitForLine(/^busy$/);
  process.kill(console.pid, "SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, 3 * LIMIT_MS)); // the time for which it waits
  process.kill(console.pid, "SIGCONT");
  await console.waitForLine(/^done$/);
  expect(resets(console.stderr)).toBe(0);
  expect(await console.stop()).toBe(0);
});

test("a reset does not flash a newer image", async () => {
  const console = await hang("loop", ({ state }) => {
    writeFileSync(path.join(state, "image.img"), writeImage({ program: program("") }));
  });
  expect(console.flashed).toHaveLength(1);
  expect(await console.stop()).toBe(0);
});

test("SIGTERM ends a program that hangs after a reset", async () => {
  const image = program(`
    if (system.resetReason === "watchdog") for (;;);
    timer.set(() => { for (;;); }, 1);
  `);
  const console = await startConsole({ image, environment: SHORT });
  await console.waitForLine(RESET);
  expect(await console.stop()).toBe("SIGALRM"); // how often it was reset before depends on the machine
});

test("SIGTERM ends a hanging program without a reset", async () => {
  const image = program(`timer.set(() => { say("busy"); for (;;); }, 1);`);
  const console = await startConsole({ image, environment: { SVC_SIM_WATCHDOG_MS: "1500" } });
  await console.waitForLine(/^busy$/);
  expect(await console.stop()).toBe("SIGALRM");
  expect(resets(console.stderr)).toBe(0);
});

/** Writes twice, and hangs at its first start. */
const WRITES = `
  import keyValue from "embedded:storage/key-value";
  ${program(`
    const domain = keyValue.open({ path: "svc/test", format: "string" });
    domain.write("a", "1");
    domain.write("b", "2");
    if (system.resetReason === "power_on") for (;;);
  `)}`;

test("storage operations are counted across a reset, and the power cut comes at its operation", async () => {
  const state = path.join(directory, "state");
  const count = path.join(directory, "count");
  const counted = { ...SHORT, SVC_SIM_STORAGE_COUNT: count };
  const operationsOf = async (image: string) => {
    const console = await startConsole({ image, state, environment: counted });
    await console.stop();
    return Number(readFileSync(count, "utf8"));
  };
  await operationsOf(WRITES); // makes the directories
  const once = await operationsOf(WRITES.replace("for (;;);", ""));
  expect(once).toBeGreaterThan(1);
  expect(await operationsOf(WRITES)).toBe(2 * once);
  for (const [cutAt, resetCount] of [
    [once, 0],
    [once + 1, 1],
    [2 * once, 1],
  ] as const) {
    const environment = { ...SHORT, SVC_SIM_POWER_CUT: String(cutAt) };
    const result = await startConsole({ image: WRITES, state, environment }).catch((error) => error);
    expect(result).toMatchObject({ status: 99 });
    expect(resets(result.stderr)).toBe(resetCount);
  }
});

for (const [name, value] of [
  ["SVC_SIM_WATCHDOG_MS", "5s"],
  ["SVC_SIM_WATCHDOG_MS", "0"],
  ["SVC_SIM_POWER_CUT", "-1"],
  ["SVC_SIM_RESUME", "00"],
] as const)
  test(`${name}=${value} is rejected with status 2`, async () => {
    const environment = { [name]: value };
    const result = await startConsole({ image: program(""), environment }).catch((error) => error);
    expect(result).toMatchObject({ status: 2 });
    expect(result.stderr.join("\n")).toContain(name);
  });
