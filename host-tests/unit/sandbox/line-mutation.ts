/**
 * The comparison of `usb-line` with `split`, for any number of rounds: lines end at LF, and JSON reads the data of those
 * that are not cut.
 */
import { expect } from "vitest";
import { type Line, LineReader } from "../../../device/services/usb/line-reader.js";
import { MessageReader } from "../../../device/services/usb/message-reader.js";
import { Fault } from "../../../protocol/fault.js";
import { CHUNK_LINE_LIMIT_BYTES } from "../../../protocol/limits.js";
import { loadSandbox } from "../../../tools/sandbox.js";
import { nodeBase64 } from "../../hosts/node-bytes.js";
import { mutated, random, SEED } from "./mutations.js";

const encoded = (byteLength: number) => Buffer.alloc(byteLength, "console").toString("base64");
const request = (members: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "POST", path: "/api/ota/upload", ...members })}\n`;

const LINES: readonly string[] = [
  request({}),
  request({ params: { a: "b", n: 1 } }) + request({ id: 8 }),
  request({ chunk: 1, total: 2, data: encoded(2048) }),
  request({ chunk: 1, total: 2, data: encoded(2047) }) +
    request({ id: 9, chunk: 2, total: 2, data: encoded(2046) }),
  request({ params: { signature: "0f".repeat(64) }, chunk: 3, total: 3, data: encoded(1000) }),
  request({ data: encoded(900), chunk: 1, total: 1 }),
  // Of the longest tail in which the end of data is looked for, and one byte more or less.
  ...[54, 55, 56].map((length) =>
    request({ chunk: 1, total: 1, data: encoded(1500), x: "t".repeat(length) }),
  ),
  // Data that must not be cut: another member of the name follows, or bits are left beyond the last byte.
  ...['"data"', '"\\u0064ata"'].map((name) =>
    request({ chunk: 1, total: 1, data: encoded(1500) }).replace("}\n", `,${name}:"AQID"}\n`),
  ),
  ...["AB==", "AAB=", "AAC="].map((end) => request({ chunk: 1, total: 1, data: encoded(1500) + end })),
  request({ x: "y".repeat(1100) }),
  request({ x: "y".repeat(5200) }),
  request({ chunk: 1, total: 1, data: encoded(3072) }).replace("\n", "\r\n"),
];

const PIECES: readonly string[] = [
  ...[
    "\n",
    "\r",
    "\r\n",
    '"',
    "\\",
    "=",
    "==",
    "A",
    "AAAA",
    "-",
    "_",
    " ",
    "\xff",
    "\xc3\xa9",
    "\0",
    "{",
    "[",
    "[],",
  ],
  ...[
    '"data":"',
    '"data"',
    ',"data":"AQID"',
    '"data" : "',
    ',"id":3',
    "}",
    '"}',
    "\\u0064",
    '"chunk":1,"total":1,',
  ],
];

type Outcome = object;

/** A message in plain values. */
function messageOf(reader: MessageReader, line: Line): Outcome {
  const message = reader.read(line);
  if (message.kind === "refusal") {
    if (!(message.error instanceof Fault)) throw message.error;
    return { id: message.id, code: message.error.code, message: message.error.message };
  }
  const { isOwner: _isOwner, parameters, ...rest } = message.request;
  return {
    ...rest,
    id: message.id,
    parameters: Object.fromEntries(parameters),
    body: message.body && [...message.body],
  };
}

/** Messages of all lines in `bytes`, which arrive in pieces of `step`. */
function messages(
  lines: LineReader,
  bytes: Uint8Array,
  step: number,
  read: (line: Line) => Outcome,
): Outcome[] {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + step);
    at += lines.feed(piece.length, (into) => into.set(piece.subarray(0, into.length)));
    for (let line = lines.next(); line; line = lines.next()) outcomes.push(read(line));
  }
  return outcomes;
}

/** The lines (docs/spec/usb.md#framing), with their data. A line that is too long is told before it ends. */
function splitLines(bytes: Uint8Array): Line[] {
  const texts = Buffer.from(bytes).toString("latin1").replaceAll("\r", "").split("\n");
  const unended = texts.pop() ?? "";
  if (unended.length > CHUNK_LINE_LIMIT_BYTES) texts.push(unended);
  return texts
    .filter((text) => text !== "")
    .map((text) => ({
      bytes: Buffer.from(text.slice(0, CHUNK_LINE_LIMIT_BYTES), "latin1"),
      isWhole: text.length <= CHUNK_LINE_LIMIT_BYTES,
    }));
}

const sandbox = await loadSandbox(["usb-line"]);
const NAMES = ["a", "n", "signature"];

/** @returns how many lines were cut, and how many messages there were */
export function compareLines(count: number): { readonly cut: number; readonly read: number } {
  console.log(`changed lines: SVC_FUZZ_SEED=${SEED}`);
  const below = random(SEED);
  const lines = new LineReader(sandbox);
  const reader = new MessageReader(nodeBase64, NAMES);
  let cut = 0;
  let read = 0;
  for (let round = 0; round < count; round++) {
    const bytes = mutated(LINES, PIECES, below);
    const step = below(3) === 0 ? 1 + below(90) : bytes.length + 1;
    lines.reset();
    const found = messages(lines, bytes, step, (line) => {
      if (line.data) cut++;
      return messageOf(reader, line);
    });
    const expected = splitLines(bytes).map((line) => messageOf(reader, line));
    expect(found, `seed ${SEED}, round ${round}: ${Buffer.from(bytes).toString("latin1")}`).toEqual(expected);
    read += found.length;
  }
  return { cut, read };
}
