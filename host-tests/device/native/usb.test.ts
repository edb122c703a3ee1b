import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ConsoleDidNotStart, startConsole } from "../../hosts/simulator.js";
import { plugIn } from "./peers.js";
import { program } from "./programs.js";

/** Says what happens at the port and sends every line back. */
const LINES = program(`
  let line = "";
  const serial = new Serial({
    onReadable(count) {
      say("readable " + count);
      for (const byte of new Uint8Array(this.read())) {
        if (byte !== 10) line += String.fromCharCode(byte);
        else {
          const answer = line + "!\\n";
          line = "";
          this.write(Uint8Array.from(answer, (character) => character.charCodeAt(0)));
        }
      }
    },
    onWritable(count) { say("room " + count); },
    onDataTerminalReady(isReady) {
      line = "";
      say("plugged " + isReady);
    },
  });
`);

const isLine = (text: string) => text.endsWith("\n");

test("opening and closing the USB port is reported, and a line is answered", async () => {
  const console = await startConsole({ image: LINES });
  const host = plugIn(console.usb);
  await console.waitForLine(/^plugged true$/);
  host.write("hello\n");
  expect(await host.received.until(isLine)).toBe("hello!\n");
  await host.unplug();
  await console.waitForLine(/^plugged false$/);
  expect(console.stderr.filter((line) => line.startsWith("plugged"))).toEqual([
    "plugged true",
    "plugged false",
  ]);
  await console.stop();
});

test("bytes 0 to 127 are transferred unchanged", async () => {
  const console = await startConsole({
    image: program(`
      const serial = new Serial({
        onReadable() { this.write(this.read()); },
        onWritable() {},
        onDataTerminalReady() {},
      });
    `),
  });
  const host = plugIn(console.usb);
  const all = String.fromCharCode(...Array.from({ length: 128 }, (_, byte) => byte));
  host.write(all);
  expect(await host.received.until((text) => text.length >= 128)).toBe(all);
  await console.stop();
});

test("closing and reopening the port in mid-line drops the partial line", async () => {
  const console = await startConsole({ image: LINES });
  for (let round = 0; round < 50; round++) {
    const from = console.stderr.length;
    const first = plugIn(console.usb);
    await console.waitForLine(/^plugged true$/, from);
    first.write("whole\n");
    await first.received.until(isLine);
    first.write("half");
    await console.waitForLine(/^readable 4$/, from);
    await first.unplug();
    const second = plugIn(console.usb);
    await console.waitForLine(/^plugged false$/, from);
    await console.waitForLine(/^plugged true$/, console.stderr.indexOf("plugged false", from));
    second.write("new\n");
    expect(await second.received.until(isLine)).toBe("new!\n");
    await second.unplug();
    await console.waitForLine(/^plugged false$/, console.stderr.lastIndexOf("plugged true"));
  }
  await console.stop();
});

const REQUEST = JSON.stringify({ id: 7, params: { c: 'a "}" {' } });
const HALVES = [
  { name: "cut in a name", half: REQUEST.slice(0, 4), next: `${REQUEST}\n` },
  { name: "cut in an inner object", half: REQUEST.slice(0, 21), next: `${REQUEST}\n` },
  { name: "cut in an escape", half: REQUEST.slice(0, 29), next: `${REQUEST}\n` },
  { name: "cut in a string", half: REQUEST.slice(0, 30), next: `${REQUEST}\n` },
  { name: "without a brace", half: "half", next: `${REQUEST}\r\n` },
  { name: "after a whole line", half: "{}\n{", next: `${REQUEST}\n`, whole: "{}!\n" },
  { name: "of a chunk of a file", half: `{"data":"${"A".repeat(5000)}`, next: `${REQUEST}\n` },
  { name: "before an empty line", half: REQUEST.slice(0, 9), next: `\n${REQUEST}\n`, whole: "!\n" },
];
for (const { name, half, next, whole = "" } of HALVES)
  test(`half a line ${name} is dropped, even if the next host has written before the console looks`, async () => {
    const console = await startConsole({ image: LINES });
    await stopProcess(console.pid);
    const first = openSync(console.usb, "r+");
    writeSync(first, half);
    closeSync(first);
    const second = plugIn(console.usb);
    second.write(next);
    process.kill(console.pid, "SIGCONT");
    const answer = `${whole}${REQUEST}${next.endsWith("\r\n") ? "\r" : ""}!\n`;
    expect(await second.received.until((text) => text.length >= answer.length)).toBe(answer);
    await console.stop();
  });

/** Resolves once the process has stopped. */
async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) await setImmediate();
}

test("a host that does not read blocks nothing else, and gets all bytes once it reads", async () => {
  const console = await startConsole({
    image: program(`
      let sent = 0;
      const serial = new Serial({
        onReadable() { this.read(); },
        onWritable(count) {
          while (count >= 1024 && sent < 65536) {
            this.write(new Uint8Array(1024).fill(65));
            count -= 1024;
            sent += 1024;
          }
        },
        onDataTerminalReady(isReady) {
          if (!isReady) return;
          let ticks = 0;
          const ticking = timer.repeat(() => {
            if (++ticks < 10) return;
            timer.clear(ticking);
            say(sent < 65536 ? "alive and held up" : "no read was held up");
          }, 5);
        },
      });
    `),
  });
  const host = plugIn(console.usb);
  host.stop();
  await console.waitForLine(/^alive and held up$/);
  host.go();
  expect((await host.received.until((text) => text.length >= 65536)).length).toBe(65536);
  await console.stop();
});

test("bytes that a host has not read are not sent to the next host", async () => {
  const console = await startConsole({ image: LINES });
  const first = plugIn(console.usb);
  await console.waitForLine(/^plugged true$/);
  first.stop();
  first.write("stale\n");
  await console.waitForLine(/^room 8192$/, 2);
  await first.unplug();
  await console.waitForLine(/^plugged false$/);
  const second = plugIn(console.usb);
  await console.waitForLine(/^plugged true$/, console.stderr.indexOf("plugged false"));
  second.write("fresh\n");
  expect(await second.received.until(isLine)).toBe("fresh!\n");
  await console.stop();
});

test("write() throws without a host", async () => {
  const console = await startConsole({
    image: program(`
      const serial = new Serial({ onReadable() {}, onWritable() {}, onDataTerminalReady() {} });
      try {
        serial.write(new Uint8Array(1));
      } catch (error) {
        say(error.name);
      }
    `),
  });
  await console.waitForLine(/^RangeError$/);
  await console.stop();
});

test("a stale USB link is replaced, and removed at a clean stop; another file there prevents the start", async () => {
  const first = await startConsole({ image: LINES });
  const usb = path.join(first.state, "elsewhere");
  symlinkSync("/nowhere", usb);
  const second = await startConsole({ image: LINES, flags: ["--usb", usb] });
  expect(second.usb).toBe(usb);
  expect(readlinkSync(usb)).toMatch(/^\/dev\/pts\//);
  expect(await second.stop()).toBe(0);
  expect(existsSync(usb)).toBe(false);
  writeFileSync(usb, "precious");
  const refusal = await startConsole({ image: LINES, flags: ["--usb", usb] }).catch((error) => error);
  expect(refusal).toBeInstanceOf(ConsoleDidNotStart);
  expect(refusal.status).toBe(1);
  expect(refusal.stderr.join()).toContain("no symbolic link");
  await first.stop();
});
