import { expect, test } from "vitest";
import { maskedFrame } from "../../../hub-client/message-reader.js";
import { BINARY, PING } from "../../../protocol/websocket/frame-head.js";
import { FrameReader } from "../../../protocol/websocket/frame-reader.js";
import { nodeRandom } from "../../hosts/node-bytes.js";

const LENGTHS = [0, 1, 4, 125, 126, 127, 65_535, 65_536];
for (const byteLength of LENGTHS)
  test(`a frame of ${byteLength} bytes is read as written`, () => {
    const payload = Uint8Array.from({ length: byteLength }, (_, at) => at & 0xff);
    const pieces: Uint8Array[] = [];
    const reader = new FrameReader("client", {
      begin: (opcode) => pieces.push(Uint8Array.of(opcode)),
      write: (bytes) => pieces.push(bytes.slice()),
      end: () => pieces.push(Uint8Array.of(0xff)),
    });
    reader.push(maskedFrame(BINARY, payload, nodeRandom));
    expect(Buffer.compare(Buffer.concat(pieces), Buffer.from([BINARY, ...payload, 0xff]))).toBe(0);
  });

test("each frame has its own mask", () => {
  let next = 0;
  const random = { getRandomValues: (into: Uint8Array) => into.fill(++next) };
  const frames = [1, 2].map(() => [...maskedFrame(PING, Uint8Array.of(0x61), random)]);
  expect(frames).toEqual([
    [0x89, 0x81, 1, 1, 1, 1, 0x60],
    [0x89, 0x81, 2, 2, 2, 2, 0x63],
  ]);
});
