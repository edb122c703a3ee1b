import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameError, readCloseCode } from "../../../../protocol/websocket/frame-head.js";
import { FrameReader, MESSAGE_LIMIT_BYTES } from "../../../../protocol/websocket/frame-reader.js";
import { BROKEN_FRAMES } from "../../services/websocket/broken-frames.js";
import {
  type ClientFrame,
  clientFrame,
  clientFrames,
  closePayload,
  OPCODE,
} from "../../services/websocket/client-frames.js";

const { continuation, text, binary, close, ping, pong } = OPCODE;

/** What a reader made of pieces: its control frames as text, and the code it ended with, if it did. */
function read(...pieces: readonly Uint8Array[]) {
  const reader = new FrameReader("client");
  const controls: string[] = [];
  try {
    for (const piece of pieces) readPiece(reader, Uint8Array.from(piece), controls);
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    return { controls, code: error.closeCode };
  }
  return { controls, code: undefined };
}

function readPiece(reader: FrameReader, piece: Uint8Array, controls: string[]): void {
  for (let at = 0; at < piece.length; ) {
    const taken = reader.push(piece.subarray(at));
    expect(taken).toBeGreaterThan(0);
    at += taken;
    const { control } = reader;
    if (control?.opcode === close) controls.push(`close ${readCloseCode(control.payload)}`);
    else if (control) controls.push(`${control.opcode} ${Buffer.from(control.payload).toString("latin1")}`);
  }
}

interface ValidFrames {
  readonly name: string;
  readonly frames: readonly ClientFrame[];
  readonly controls?: readonly string[];
}

const VALID: readonly ValidFrames[] = [
  { name: "text", frames: [{ opcode: text, payload: "héllo, wörld €, 🎮" }] },
  { name: "an empty message", frames: [{ opcode: text }, { opcode: binary }] },
  { name: "binary that is not UTF-8", frames: [{ opcode: binary, payload: Uint8Array.of(0xff, 0xfe) }] },
  {
    name: "a ping between the fragments of a character",
    frames: [
      { opcode: text, payload: Uint8Array.of(0xe2), isFinal: false },
      { opcode: ping, payload: "one" },
      { opcode: continuation, payload: Uint8Array.of(0x82), isFinal: false },
      { opcode: pong, payload: "two" },
      { opcode: continuation, payload: Uint8Array.of(0xac) },
      { opcode: text, payload: "next" },
    ],
    controls: ["9 one", "10 two"],
  },
  {
    name: "empty fragments",
    frames: [
      { opcode: binary, isFinal: false },
      { opcode: continuation, isFinal: false },
      { opcode: continuation },
    ],
  },
  { name: "lengths in two bytes", frames: [{ opcode: text, payload: "a".repeat(126) }] },
  { name: "an empty ping", frames: [{ opcode: ping }], controls: ["9 "] },
  {
    name: "a ping with 125 bytes",
    frames: [{ opcode: ping, payload: "p".repeat(125) }],
    controls: [`9 ${"p".repeat(125)}`],
  },
  { name: "an empty Close frame", frames: [{ opcode: close }], controls: ["close undefined"] },
  ...[1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999].map(
    (code) => ({
      name: `close code ${code}`,
      frames: [{ opcode: close, payload: closePayload(code, "gürkchen") }],
      controls: [`close ${code}`],
    }),
  ),
];

describe("FrameReader accepts", () => {
  for (const { name, frames, controls = [] } of VALID)
    test(`${name}, split anywhere`, () => {
      const wire = clientFrames(...frames);
      for (let at = 0; at <= wire.length; at++)
        expect(read(wire.subarray(0, at), wire.subarray(at))).toEqual({ controls, code: undefined });
      expect(read(...Array.from(wire, (byte) => Uint8Array.of(byte)))).toEqual({ controls, code: undefined });
    });

  test("a message of the limit of 64 KiB, in one frame and in two", () => {
    expect(MESSAGE_LIMIT_BYTES).toBe(65536);
    const half = new Uint8Array(MESSAGE_LIMIT_BYTES / 2).fill(0x61);
    const whole = { opcode: text, payload: new Uint8Array(MESSAGE_LIMIT_BYTES).fill(0x61) };
    const parts = [
      { opcode: text, payload: half, isFinal: false },
      { opcode: continuation, payload: half },
    ];
    expect(read(clientFrames(whole, ...parts, { opcode: ping }))).toEqual({
      controls: ["9 "],
      code: undefined,
    });
  });
});

describe("FrameReader rejects", () => {
  for (const { name, wire, code } of BROKEN_FRAMES)
    test(`${name} with ${code}, split anywhere`, () => {
      const heads = Math.min(wire.length, 200); // past that, payload is all alike
      for (let at = 0; at <= heads; at++)
        expect(read(wire.subarray(0, at), wire.subarray(at))).toMatchObject({ code });
    });

  test("a frame at its second byte, without waiting for the rest", () => {
    expect(read(Uint8Array.of(0x81, 0x05)).code).toBe(1002);
  });

  test("text at its first invalid byte, without waiting for the rest", () => {
    const wire = clientFrame({ opcode: text, payload: Uint8Array.of(0x61, 0xff, 0x61) });
    expect(read(wire.subarray(0, -1)).code).toBe(1007);
    expect(read(wire.subarray(0, -2)).code).toBe(undefined);
  });
});

describe("FrameReader, for any input,", () => {
  const frame = fc.record({
    opcode: fc.constantFrom<number>(...Object.values(OPCODE), 3),
    payload: fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ maxLength: 200, unit: "binary" })),
    isFinal: fc.boolean(),
  });

  test("reads the same from any pieces", () => {
    const splits = fc.array(fc.nat({ max: 3000 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), splits, (frames, splits) => {
        const wire = clientFrames(...frames);
        const cuts = [0, ...splits.map((at) => Math.min(at, wire.length)), wire.length].sort((a, b) => a - b);
        const pieces = cuts.slice(1).map((to, index) => wire.subarray(cuts[index], to));
        expect(read(...pieces)).toEqual(read(wire));
      }),
    );
  });

  test("throws only FrameErrors", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void read(bytes)));
  });
});
