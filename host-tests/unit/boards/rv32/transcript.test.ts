/** A transcript of a board on RV32 is compared with the expected answers. */
import { describe, expect, test } from "vitest";
import type { Await, Step } from "../../../../boards/rv32/session/script.js";
import { checkTranscript, readTranscript } from "../../../../boards/rv32/session/transcript.js";

const said = (channel: string, bytes: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`said ${channel} ${Buffer.byteLength(bytes)}\n`),
    Buffer.from(bytes as string),
    Buffer.from("\n"),
  ]);

const stepOf = (commands: readonly Await[], count = 1): Step => ({
  name: "only",
  count,
  unit: "request",
  units: 1,
  commands,
});

function check(step: Step, ...pieces: readonly Buffer[]): void {
  const transcript = Buffer.concat([Buffer.from("step only\n"), ...pieces]);
  checkTranscript([step], readTranscript(transcript));
}

const answer = (status: string, body: string) =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const frame = (first: number, payload: Buffer) =>
  Buffer.concat([
    payload.length < 126
      ? Uint8Array.of(first, payload.length)
      : Uint8Array.of(first, 126, payload.length >> 8, payload.length & 0xff),
    payload,
  ]);

const HTTP: Await = {
  does: "await",
  channel: "c",
  what: "http",
  expected: [{ status: 200, body: { a: { b: 1 } } }],
};
const LINE: Await = { does: "await", channel: "c", what: "lines", expected: [{ status: 206 }] };
const FRAMES: Await = {
  does: "await",
  channel: "c",
  what: "frames",
  expected: [{ text: /^tick\n$/ }, { closeCode: 1000 }],
};
const TEXT: Await = { does: "await", channel: "c", what: "text", text: "ready\n" };
const CLOSE = frame(0x88, Buffer.from([0x03, 0xe8]));

describe("a transcript passes with", () => {
  test("an HTTP answer with more members than expected", () =>
    check(stepOf([HTTP]), said("c", answer("200 OK", '{"x":0,"a":{"b":1,"c":2}}'))));
  test("one answer for each repetition of a step", () => {
    const one = said("c", answer("200 OK", '{"a":{"b":1}}'));
    check(stepOf([HTTP], 2), one, one);
  });
  test("a line over USB", () => check(stepOf([LINE]), said("c", '{"id":1,"status":206,"body":{}}\n')));
  test("a text frame and a close frame", () =>
    check(stepOf([FRAMES]), said("c", Buffer.concat([frame(0x81, Buffer.from("tick\n")), CLOSE]))));
  test("a frame whose length takes two bytes", () => {
    const long = "x".repeat(300);
    const step = stepOf([{ does: "await", channel: "c", what: "frames", expected: [{ text: /^x{300}$/ }] }]);
    check(step, said("c", frame(0x81, Buffer.from(long))));
  });
  test("a text after other text", () => check(stepOf([TEXT]), said("c", "not yet ... ready\n")));
  test("channels whose answers come in another order", () => {
    const step = stepOf([LINE, { ...LINE, channel: "d" }]);
    const line = '{"status":206}\n';
    check(step, said("d", line), said("c", line));
  });
});

const WRONG = [
  { what: "another status", step: stepOf([HTTP]), bytes: answer("503 Busy", '{"error":"busy"}') },
  { what: "another body", step: stepOf([HTTP]), bytes: answer("200 OK", '{"a":{"b":2}}') },
  { what: "a body that is not JSON", step: stepOf([HTTP]), bytes: answer("200 OK", "hello") },
  { what: "half an answer", step: stepOf([HTTP]), bytes: answer("200 OK", '{"a":{"b":1}}').slice(0, -1) },
  { what: "no answer", step: stepOf([HTTP]), bytes: "" },
  { what: "one answer too few", step: stepOf([LINE], 2), bytes: '{"status":206}\n' },
  { what: "one answer too many", step: stepOf([LINE]), bytes: '{"status":206}\n{"status":206}\n' },
  { what: "a refusal over USB", step: stepOf([LINE]), bytes: '{"status":403,"body":{"error":"no"}}\n' },
  { what: "another text in a frame", step: stepOf([FRAMES]), bytes: frame(0x81, Buffer.from("tock\n")) },
  {
    what: "another code at the end",
    step: stepOf([FRAMES]),
    bytes: Buffer.concat([frame(0x81, Buffer.from("tick\n")), frame(0x88, Buffer.from([0x03, 0xea]))]),
  },
  { what: "half a frame", step: stepOf([FRAMES]), bytes: frame(0x81, Buffer.from("tick\n")).subarray(0, 4) },
  { what: "a missing text", step: stepOf([TEXT]), bytes: "not yet" },
];

describe("a transcript fails, naming the step, with", () => {
  for (const { what, step, bytes } of WRONG)
    test(what, () => expect(() => check(step, said("c", bytes))).toThrow(/^Step "only": /));
  test("showing the bytes that came", () =>
    expect(() => check(stepOf([LINE]), said("c", '{"status":403,"body":{"error":"no"}}\n'))).toThrow(
      /expected { status: 206 }, and what came is .*error/,
    ));
  test("bytes outside of any step", () =>
    expect(() => checkTranscript([stepOf([LINE])], readTranscript(Buffer.from("step other\n")))).toThrow(
      /^Step "only"/,
    ));
});

describe("an invalid transcript is rejected", () => {
  for (const text of ["hello\n", "step a\nsaid b\n", "step a\nsaid b 5\nabc\n", "step a\nsaid b -1\n"])
    test(JSON.stringify(text), () =>
      expect(() => readTranscript(Buffer.from(text))).toThrow(/^Cannot read the transcript/),
    );
});
