/** The script that a console on RV32 is played (boards/rv32/kernel/script.h), to the console of native/script-console.c. */
import { beforeAll, describe, expect, test } from "vitest";
import { isMissing } from "../hosts/peers.js";
import type { Program } from "./kernel-program.js";
import { buildScriptConsole, type Played, playScript } from "./socket-programs.js";

/** A command with bytes. */
const withBytes = (command: string, bytes: string) => `${command} ${bytes.length}\n${bytes}\n`;
const send = (channel: string, bytes: string) => withBytes(`send ${channel}`, bytes);
const awaitText = (channel: string, text: string) => withBytes(`await ${channel} text`, text);
const said = (channel: string, bytes: string) => withBytes(`said ${channel}`, bytes);

/** A response that ends as its head says. */
const response = (head: string, body = "") => `HTTP/1.1 ${head}\r\n\r\n${body}`;
const frame = (head: number[], payload: string) => String.fromCharCode(...head) + payload;

describe.skipIf(isMissing("rv32"))("A script on RV32", () => {
  let program: Program;
  const play = (script: string): Promise<Played> => playScript(program, script);

  /** Plays one that ends well. @returns the transcript */
  async function transcriptOf(script: string): Promise<string> {
    const { status, lines, transcript } = await play(script);
    expect(status, lines.join("\n")).toBe(0);
    return transcript;
  }

  beforeAll(async () => {
    program = await buildScriptConsole();
  });

  test("ends at once if it is empty", async () => {
    expect(await play("")).toEqual({ status: 0, lines: [], transcript: "" });
  });

  test("repeats each step as often as specified, and meters it once", async () => {
    const script = `open a 7\nstep one 3\n${send("a", "x\n")}await a lines 1\nend\nstep two 1\nend\nclose a\n`;
    expect(await play(script)).toEqual({
      status: 0,
      lines: ["step begins", "step one ends after 3", "step begins", "step two ends after 1"],
      transcript: `step one\n${said("a", "x\n").repeat(3)}step two\n`,
    });
  });

  test("sends before the connection is accepted, and receives after its own end", async () => {
    const script = `open a 7\n${send("a", "first ")}${send("a", "second\n")}close a\n${awaitText("a", "bye")}`;
    expect(await transcriptOf(script)).toBe(said("a", "first second\nbye"));
  });

  test("opens a channel repeatedly, each time as a new connection", async () => {
    const round = `open a 7\n${send("a", "x\n")}await a lines 1\nclose a\n`;
    expect(await transcriptOf(`step many 200\n${round}end\n`)).toBe(
      `step many\n${said("a", "x\n").repeat(200)}`,
    );
  });

  test("uses several connections at the same time", async () => {
    const script = `open a 7\nopen b 7\n${send("b", "B\n")}${send("a", "A\n")}await a lines 1\nawait b lines 1\n`;
    expect(await transcriptOf(script)).toBe(said("a", "A\n") + said("b", "B\n"));
  });

  test("waits until a socket listens", async () => {
    expect(await transcriptOf("open a 13\nawait a lines 1\n")).toBe(said("a", "late\n"));
  });

  test("counts its own instructions apart from the console's", async () => {
    const ask = `${send("a", ".")}await a lines 1\n`;
    const transcript = await transcriptOf(`open a 10\n${ask}${ask}step idle 10000\nend\n${ask}`);
    const [first, second, third] = [...transcript.matchAll(/\n(\d+) (\d+)\n/g)].map(
      ([, ofScript, others]) => ({
        ofScript: Number(ofScript),
        others: Number(others),
      }),
    );
    if (!first || !second || !third) throw new Error(`Nothing was said: ${transcript}`);
    expect(third.ofScript - second.ofScript).toBeGreaterThan(10_000 * 10);
    expect(third.others - second.others).toBeLessThan(2 * (second.others - first.others));
  });

  test("waits exactly the specified time", async () => {
    const ask = `${send("a", ".")}await a lines 1\n`;
    const transcript = await transcriptOf(`open a 11\n${ask}wait 2500\n${ask}`);
    const [before = Number.NaN, after = Number.NaN] = [...transcript.matchAll(/\n(\d+)\n/g)].map(([, at]) =>
      Number(at),
    );
    expect(Math.floor((after - before) / 1000)).toBe(2500); // what is more are instructions, which take microseconds
  });

  /** Said one byte after the other, so that each is seen at every length before it is whole; and twice. */
  const AWAITED = [
    { name: "lines", what: "lines 2", bytes: "one\r\n\n" },
    { name: "a text", what: "text", bytes: "aabaab aabaac" },
    {
      name: "a response with a length",
      what: "http 1",
      bytes: response("200 OK\r\ncontent-length:  4", "\r\n\r\n"),
    },
    {
      name: "a response with similar fields before its length",
      what: "http 1",
      bytes: response("200 OK\r\nX-Content-Length: 9\r\nContent-Length: 0"),
    },
    {
      name: "two responses",
      what: "http 2",
      bytes: response("204 No Content") + response("404 Not Found\r\nContent-Length: 1", "x"),
    },
    { name: "a response without a body", what: "http 1", bytes: response('304 Not Modified\r\nETag: "1"') },
    {
      name: "the response after an interim response",
      what: "http 1",
      bytes: response("100 Continue") + response("200 OK\r\nContent-Length: 2", "ok"),
    },
    {
      name: "a switch of protocols",
      what: "http 1",
      bytes: response("101 Switching Protocols\r\nUpgrade: websocket"),
    },
    {
      name: "a chunked response",
      what: "http 1",
      bytes: response("200 OK\r\nTransfer-Encoding: chunked", "a\r\n0123456789\r\n1;x=y\r\n\n\r\n0\r\n\r\n"),
    },
    {
      name: "a chunked response with a trailer",
      what: "http 1",
      bytes: response("200 OK\r\nTransfer-Encoding: chunked", "0\r\nX: y\r\n\r\n"),
    },
    {
      name: "frames",
      what: "frames 3",
      bytes: frame([0x81, 0], "") + frame([0x82, 5], "hello") + frame([0x88, 2], "\x03\xe8"),
    },
    { name: "a masked frame", what: "frames 1", bytes: frame([0x81, 0x82, 1, 2, 3, 4], "xy") },
    {
      name: "a frame with a length of 16 bits",
      what: "frames 1",
      bytes: frame([0x82, 126, 0x01, 0x02], "z".repeat(0x102)),
    },
    {
      name: "a frame with a length of 64 bits",
      what: "frames 1",
      bytes: frame([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 1], "z".repeat(0x10001)),
    },
  ];
  const awaiting = (what: string, bytes: string) =>
    what === "text" ? awaitText("a", bytes) : `await a ${what}\n`;

  for (const { name, what, bytes } of AWAITED)
    test(`awaits ${name} whole, however it is split, and leaves what follows`, async () => {
      const script = `open a 8\n${send("a", bytes)}${awaiting(what, bytes)}${send("a", bytes + bytes)}${awaiting(what, bytes).repeat(2)}`;
      expect(await transcriptOf(script)).toBe(said("a", bytes).repeat(3));
    });

  test("awaits a text and the bytes before it", async () => {
    const script = `open a 8\n${send("a", "before, then this, then more\n")}${awaitText("a", "this")}await a lines 1\n`;
    expect(await transcriptOf(script)).toBe(said("a", "before, then this") + said("a", ", then more\n"));
  });

  test("awaits a response that ends with its connection", async () => {
    const bytes = response("200 OK", "up to the end");
    expect(await transcriptOf(`open a 9\n${send("a", bytes)}await a http 1\n`)).toBe(said("a", bytes));
  });

  test("plugs and unplugs the USB cable, and sends lines over it", async () => {
    const session = (text: string) => `open usb usb\n${send("usb", text)}await usb lines 1\nclose usb\n`;
    const { status, lines, transcript } = await play(session("hello\n") + session("again\n"));
    expect({ status, lines }).toEqual({
      status: 0,
      lines: ["plugged in", "unplugged", "plugged in", "unplugged"],
    });
    expect(transcript).toBe(said("usb", "hello\n") + said("usb", "again\n"));
  });

  test("loses unread bytes when the cable is unplugged", async () => {
    const script = `open u usb\nwait 1\n${send("u", "lost\n")}close u\nopen u usb\n${send("u", "kept\n")}await u lines 1\n`;
    expect(await transcriptOf(script)).toBe(said("u", "kept\n"));
  });

  const UNMET = [
    {
      name: "has nothing left to do",
      script: `open a 7\n${send("a", "half a line\x01")}await a lines 1\n`,
      lines: [
        'script: line 4, "await a lines 1": the console has nothing left to do',
        "has come: 12 bytes: half a line\\x01",
      ],
    },
    {
      name: "is silent for a minute",
      script: `open a 12\n${awaitText("a", "any\nthing")}`,
      lines: [
        'script: line 2, "await a text 9": a minute has passed',
        "awaited: any\\nthing",
        "has come: 0 bytes: ",
      ],
    },
    {
      name: "closes the connection",
      script: `open a 9\n${send("a", "HTTP/1.1 200")}await a http 1\n`,
      lines: [
        'script: line 4, "await a http 1": the console has closed the connection',
        "has come: 12 bytes: HTTP/1.1 200",
      ],
    },
    {
      name: "does not listen on the port",
      script: "open a 99\n",
      lines: [
        'script: line 1, "open a 99": no socket listens on this port, and the console has nothing left to do',
      ],
    },
  ];
  for (const { name, script, lines } of UNMET)
    test(`ends the run with a message if the console ${name}`, async () => {
      const before = `step first 1\nopen z 7\n${send("z", "kept\n")}await z lines 1\nend\n`;
      const played = await play(before + script);
      const shifted = lines.map((line) =>
        line.replace(/line (\d+)/, (_, number) => `line ${Number(number) + 7}`),
      );
      expect(played).toEqual({
        status: 1,
        lines: ["step begins", "step first ends after 1", ...shifted],
        transcript: `step first\n${said("z", "kept\n")}`,
      });
    });

  const MALFORMED = [
    {
      what: "an unknown command",
      script: "open a 7\nlisten a\n",
      line: 'line 2, "listen a": this is not a command',
    },
    { what: "two spaces", script: "open  a 7\n", line: 'line 1, "open  a 7": this is not a command' },
    {
      what: "too few words",
      script: "await a http\n",
      line: 'line 1, "await a http": this is not a command',
    },
    { what: "an empty line", script: "\n", line: 'line 1, "": this is not a command' },
    {
      what: "a number with letters",
      script: "wait 12x\n",
      line: 'line 1, "wait 12x": what should be a number is none of up to nine digits',
    },
    {
      what: "a count of 0",
      script: "await a lines 0\n",
      line: 'line 1, "await a lines 0": its count is 0',
    },
    {
      what: "a port over 65535",
      script: "open a 65536\n",
      line: 'line 1, "open a 65536": its port is none of 1 to 65535',
    },
    {
      what: "too long a name",
      script: `open ${"n".repeat(32)} 7\n`,
      line: `line 1, "open ${"n".repeat(32)} 7": its name is too long`,
    },
    {
      what: "too few bytes",
      script: "send a 5\nabcd\n",
      line: 'line 1, "send a 5": the script ends before its bytes do',
    },
    {
      what: "too many bytes",
      script: "send a 3\nabcd\n",
      line: 'line 1, "send a 3": its bytes do not end where they should: no newline follows',
    },
    {
      what: "an error after bytes that contain lines",
      script: "send a 4\na\nb\n\nnothing\n",
      line: 'line 5, "nothing": this is not a command',
    },
    {
      what: "a last line without a newline",
      script: "wait 1",
      line: 'line 1, "wait 1": the script ends before this line does',
    },
    {
      what: "a step within a step",
      script: "step a 1\nstep b 1\nend\nend\n",
      line: 'line 2, "step b 1": a step within a step',
    },
    { what: "an end without a step", script: "step a 1\nend\nend\n", line: 'line 3, "end": no step to end' },
    {
      what: "a step without an end",
      script: "step a 1\nwait 1\n",
      line: 'line 2, "wait 1": the script ends within a step',
    },
    {
      what: "an unknown channel",
      script: "send a 1\nx\n",
      line: 'line 1, "send a 1": this channel was never opened',
    },
    {
      what: "an open channel",
      script: "open a 7\nopen a 7\n",
      line: 'line 2, "open a 7": this channel is open already',
    },
    {
      what: "a closed channel",
      script: "open a 7\nclose a\nclose a\n",
      line: 'line 3, "close a": this channel was closed',
    },
    {
      what: "a second cable",
      script: "open a usb\nopen b usb\n",
      line: 'line 2, "open b usb": the cable is plugged in already',
    },
  ];
  test.each(MALFORMED)("reports the line of $what", async ({ script, line }) => {
    const { status, lines } = await play(script);
    expect({ status, lines }).toEqual({ status: 1, lines: [`script: ${line}`] });
  });
});
