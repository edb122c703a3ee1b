/** What cuts the answers of a session out of the bytes of a connection, however these arrive. */
import { describe, expect, test } from "vitest";
import { ArrivedBytes } from "../../sessions/arrived-bytes.js";
import { maskedAnswer, readAnswer } from "../../sessions/http-answer.js";
import { readable, visibleLines } from "../../sessions/visible-bytes.js";
import { readFrame } from "../../sessions/websocket-frame.js";

/** Bytes that come one by one, before a connection ends. */
function oneByOne(bytes: Uint8Array): ArrivedBytes {
  const arrived = new ArrivedBytes();
  for (const byte of bytes) arrived.push(Uint8Array.of(byte));
  arrived.end();
  return arrived;
}

const ANSWERS = [
  { name: "with a length", wire: "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc", body: "abc" },
  {
    name: "in chunks",
    wire: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
    body: "abc",
  },
  { name: "up to the end of the connection", wire: "HTTP/1.1 200 OK\r\n\r\nabc", body: "abc", isLast: true },
  { name: "without a body, by status", wire: "HTTP/1.1 204 No Content\r\n\r\n", body: "" },
  {
    name: "without a body, for HEAD",
    method: "HEAD",
    wire: "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n",
    body: "",
  },
];
for (const { name, wire, body, method = "GET", isLast = false } of ANSWERS)
  test(`an answer ${name} is read, and the bytes after it are left`, async () => {
    const arrived = oneByOne(Buffer.from(isLast ? wire : `${wire}next`));
    expect(String((await readAnswer(arrived, method)).body)).toBe(body);
    expect(String(await arrived.rest())).toBe(isLast ? "" : "next");
  });

const BROKEN = [
  { name: "that is shorter than announced", wire: "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabc" },
  {
    name: "with an invalid chunk size",
    wire: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n",
  },
  {
    name: "with a chunk longer than announced",
    wire: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc",
  },
];
for (const { name, wire } of BROKEN)
  test(`an answer ${name} is rejected`, async () => {
    await expect(readAnswer(oneByOne(Buffer.from(wire)), "GET")).rejects.toThrow();
  });

test("the shown length of an answer counts the shown text", () => {
  const answer = (uptime: string) => {
    const body = Buffer.from(`{"uptime_ms":${uptime}}`);
    return { head: `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`, body };
  };
  expect(maskedAnswer(answer("9"))).toBe(maskedAnswer(answer("12345")));
});

const FRAMES = [
  { name: "empty", hex: "8900", frame: { opcode: "ping", payload: "" } },
  { name: "of one byte", hex: "810161", frame: { opcode: "text", payload: "a" } },
  {
    name: "of 126 bytes",
    hex: `817e007e${"61".repeat(126)}`,
    frame: { opcode: "text", payload: "a".repeat(126) },
  },
];
for (const { name, hex, frame } of FRAMES)
  test(`a frame ${name} is read, and the bytes after it are left`, async () => {
    const arrived = oneByOne(Buffer.from(`${hex}ff`, "hex"));
    const { opcode, payload } = await readFrame(arrived);
    expect({ opcode, payload: String(payload) }).toEqual(frame);
    expect((await arrived.rest()).toString("hex")).toBe("ff");
  });

const BAD_FRAMES = [
  { name: "masked", hex: "818112345678" },
  { name: "that is part of a message", hex: "010161616161" },
  { name: "with a length longer than necessary", hex: "817e000161" },
];
for (const { name, hex } of BAD_FRAMES)
  test(`a frame ${name} is rejected as not from a console`, async () => {
    await expect(readFrame(oneByOne(Buffer.from(hex, "hex")))).rejects.toThrow(/frame of a console/);
  });

describe("all bytes are shown", () => {
  test("control characters as pictures", () =>
    expect(visibleLines("a\r\n\0\x7fb\n")).toEqual(["a␍␊", "␀␡b␊", ""].filter((line) => line !== "")));
  test("bytes that are not text by length and digest", () =>
    expect(readable(Uint8Array.of(0xff))).toMatch(/^<1 bytes with SHA-256 a8100ae6/));
});
