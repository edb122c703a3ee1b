import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Console, ConsoleDidNotStart, startConsole } from "../../hosts/simulator.js";
import { countStolenMs } from "../../hosts/stolen-time.js";
import { connect, plugIn } from "./peers.js";
import { program } from "./programs.js";

const states: string[] = [];

/** A state directory that outlives its consoles and goes with the test. */
function newState(): string {
  const state = mkdtempSync(path.join(tmpdir(), "console-"));
  states.push(state);
  return state;
}

afterEach(() => {
  for (const state of states.splice(0)) rmSync(state, { recursive: true, force: true });
});

async function refusal(options: Parameters<typeof startConsole>[0]): Promise<ConsoleDidNotStart> {
  const result = await startConsole(options).catch((error) => error);
  expect(result).toBeInstanceOf(ConsoleDidNotStart);
  return result;
}

/** Echoes, says why it was started, and obeys a word: restart, fill, throw, reject, recurse. */
const OBEDIENT = program(`
  system.onShutdown(() => say("goodbye"));
  const words = {
    restart() { system.restart(); },
    fill() { const all = []; for (;;) all.push(new Uint8Array(1000), { all }); },
    throw() { throw new TypeError("on purpose"); },
    reject() { Promise.reject(new Error("no handler listens")); },
    recurse() { const again = () => again() + 1; again(); },
  };
  const listener = listen((from) => {
    new TCP({
      from,
      onReadable() {
        const word = String.fromCharCode(...new Uint8Array(this.read()));
        this.write(Uint8Array.of(111, 107));
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
  say("reset reason " + system.resetReason);
`);

async function tell(console: Console, word: string): Promise<string> {
  const client = await connect(console.http);
  client.socket.write(word);
  return await client.received.until((text) => text === "ok");
}

test("a restart in place sends pending data and keeps port, terminal and process", async () => {
  const console = await startConsole({ image: OBEDIENT });
  const terminal = readlinkSync(console.usb);
  for (let round = 1; round <= 3; round++) {
    const from = console.stderr.length;
    expect(await tell(console, "restart")).toBe("ok");
    await console.waitForLine(/^reset reason software$/, from);
  }
  expect(await tell(console, "restart")).toBe("ok");
  expect(readlinkSync(console.usb)).toBe(terminal);
  expect(readdirSync(`/proc/${console.pid}`)).toContain("fd");
  expect(await console.stop()).toBe(0);
});

test("a host with the USB port open sees a restart as an unplug and a plug", async () => {
  const console = await startConsole({ image: OBEDIENT });
  const host = plugIn(console.usb);
  await console.waitForLine(/^plugged true$/);
  const from = console.stderr.length;
  await tell(console, "restart");
  await console.waitForLine(/^plugged true$/, from);
  host.write("still here");
  expect(await host.received.until((text) => text.length >= 10)).toBe("still here");
  await console.stop();
  await host.unplug();
});

for (const [word, message] of [
  ["fill", "memory full"],
  ["recurse", "stack overflow"],
  ["throw", "unhandled exception: TypeError: on purpose"],
  ["reject", "unhandled rejection: Error: no handler listens"],
] as const)
  test(`"${word}" is reported as a crash, and the console restarts`, async () => {
    const console = await startConsole({ image: OBEDIENT });
    const client = await connect(console.http);
    client.socket.on("error", () => {});
    client.socket.write(word);
    await console.waitForLine(new RegExp(message));
    if (word === "throw") await console.waitForLine(/^ at throw \(\)$/);
    await console.waitForLine(/^reset reason crash$/);
    expect(await tell(console, "restart")).toBe("ok");
    expect(await console.stop()).toBe(0);
  });

test("an exception in main before ready ends the process with status 2 and its message", async () => {
  const image = program(`throw new RangeError('Cannot use "CONFIG_X": no such option');`);
  const { status, stderr } = await refusal({ image });
  expect(status).toBe(2);
  expect(stderr.join("\n")).toContain('Cannot use "CONFIG_X": no such option');
});

test("a program that crashes at every start ends after five crashes", async () => {
  const image = program(`
    if (system.resetReason === "crash") throw new Error("again");
    timer.set(() => { throw new Error("first"); }, 1);
  `);
  const console = await startConsole({ image });
  expect(await console.exited).toBe(1);
  expect(console.stderr.at(-1)).toMatch(/5 crashes in a row/);
});

test("the reset reason is crash after SIGKILL, and power_on after a clean stop", async () => {
  const state = newState();
  const first = await startConsole({ image: OBEDIENT, state });
  await first.waitForLine(/^reset reason power_on$/);
  await first.kill();
  const second = await startConsole({ image: OBEDIENT, state });
  await second.waitForLine(/^reset reason crash$/);
  expect(await second.stop()).toBe(0);
  const third = await startConsole({ image: OBEDIENT, state });
  await third.waitForLine(/^reset reason power_on$/);
  await third.stop();
});

test("SIGTERM runs the program's shutdown, exits with 0 and removes the USB link", async () => {
  const console = await startConsole({ image: OBEDIENT, state: newState() });
  expect(existsSync(console.usb)).toBe(true);
  expect(await console.stop()).toBe(0);
  expect(console.stderr.at(-1)).toBe("goodbye");
  expect(() => readlinkSync(console.usb)).toThrow();
});

test("SIGTERM ends a program that never returns", async () => {
  const console = await startConsole({ image: program(`timer.set(() => { say("busy"); for (;;); }, 1);`) });
  await console.waitForLine(/^busy$/);
  expect(await console.stop()).toBe("SIGALRM");
});

test("two consoles run side by side", async () => {
  const consoles = await Promise.all([startConsole({ image: OBEDIENT }), startConsole({ image: OBEDIENT })]);
  expect(new Set(consoles.map((console) => console.http)).size).toBe(2);
  for (const console of consoles) expect(await tell(console, "restart")).toBe("ok");
  for (const console of consoles) expect(await console.stop()).toBe(0);
});

test("a second console on the same state directory exits with status 1", async () => {
  const state = newState();
  const console = await startConsole({ image: OBEDIENT, state });
  const { status, stderr } = await refusal({ image: OBEDIENT, state });
  expect(status).toBe(1);
  expect(stderr.join("\n")).toContain(`another console is running on "${state}"`);
  expect(existsSync(console.usb)).toBe(true);
  await console.stop();
});

test("a port in use exits with status 1 and is named", async () => {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  const { status, stderr } = await refusal({ image: OBEDIENT, flags: ["--http-port", String(port)] });
  expect(status).toBe(1);
  expect(stderr.join("\n")).toContain(`port ${port}`);
  server.close();
});

for (const flags of [
  ["--no-such-flag"],
  ["--http-port", "70000"],
  ["--mac", "02:00"],
  ["--config", "=x"],
  ["word"],
])
  test(`the command line ${flags.join(" ")} is rejected with status 2 and the usage`, async () => {
    const { status, stderr } = await refusal({ image: OBEDIENT, flags });
    expect(status).toBe(2);
    expect(stderr.join("\n")).toContain("usage:");
  });

test("the MAC address is generated once, or given on the command line", async () => {
  const image = program("say(system.mac);");
  const state = newState();
  const first = await startConsole({ image, state });
  const mac = await first.waitForLine(/^02:00:00:00:[0-9A-F]{2}:[0-9A-F]{2}$/);
  await first.stop();
  const second = await startConsole({ image, state });
  expect(await second.waitForLine(/:/)).toBe(mac);
  await second.stop();
  const third = await startConsole({ image, flags: ["--mac", "02:00:00:00:1a:2b"] });
  expect(await third.waitForLine(/:/)).toBe("02:00:00:00:1A:2B");
  await third.stop();
});

test("svc/host provides the command line", async () => {
  const image = program(`
    say(JSON.stringify([config.options, config.hub, config.sd, config.mdns, config.address, config.logLevel]));
  `);
  const flags = ["--config", "A=1", "--config", "B=x=y", "--config", "A=2", "--hub", "http://h", "--sd", "/"];
  const console = await startConsole({ image, flags });
  const line = await console.waitForLine(/^\[/);
  expect(JSON.parse(line)).toEqual([{ A: "2", B: "x=y" }, "http://h", "/", false, "127.0.0.1", null]);
  await console.stop();
});

/** Milliseconds that its first thread has run (the first figure of schedstat, in nanoseconds). */
const processorMs = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

test("an idle console uses less than 1 % of a core, with and without a USB host", async () => {
  const console = await startConsole({ image: OBEDIENT });
  const host = plugIn(console.usb);
  await console.waitForLine(/^plugged true$/);
  for (const measured of ["plugged", "unplugged"]) {
    const stolenMs = countStolenMs();
    const before = processorMs(console.pid);
    await new Promise((resolve) => setTimeout(resolve, 1000)); // the time over which is measured
    expect(processorMs(console.pid) - before, measured).toBeLessThan(10 + stolenMs());
    if (measured === "plugged") await host.unplug();
  }
  await console.stop();
});

test("a console started with --die-with-parent ends with its parent", async () => {
  const console = await startConsole({ image: OBEDIENT, state: newState() });
  await console.stop();
  const script = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.argv[1], process.argv.slice(2), { stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.once("data", (line) => process.stdout.write(line, () => process.kill(process.pid, "SIGKILL")));
  `;
  const build = path.join(import.meta.dirname, "../../../build", process.env["SVC_SIM_VARIANT"] ?? "release");
  const image = path.join(console.state, "image.img");
  const flags = ["--die-with-parent", "--image", image, "--state", console.state, "--http-port", "0"];
  const parent = spawn(process.execPath, ["-e", script, path.join(build, "console"), ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve) =>
    parent.stdout.once("data", (bytes) => resolve(String(bytes))),
  );
  const { pid } = JSON.parse(line);
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
});
