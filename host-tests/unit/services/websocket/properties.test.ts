/** Any client behaviour, and any speed of its socket (docs/spec/websocket.md#slow-client). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { EmulatedTcp } from "../http/emulated-tcp.js";
import { clientFrame, OPCODE, readServerFrames } from "./client-frames.js";
import { serve, turn, upgradeRequest } from "./served.js";

type Step =
  | { readonly kind: "send"; readonly bytes: Uint8Array }
  | { readonly kind: "drain"; readonly byteLength: number }
  | { readonly kind: "log"; readonly message: string }
  | { readonly kind: "pass"; readonly milliseconds: number };

const frame = fc.record({
  opcode: fc.constantFrom<number>(...Object.values(OPCODE)),
  payload: fc.oneof(fc.uint8Array({ maxLength: 130 }), fc.string({ maxLength: 40 })),
  isFinal: fc.boolean(),
});

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("send" as const), bytes: fc.uint8Array({ maxLength: 20 }) }),
  fc.record({ kind: fc.constant("send" as const), bytes: frame.map(clientFrame) }),
  fc.record({ kind: fc.constant("drain" as const), byteLength: fc.integer({ min: 1, max: 2000 }) }),
  fc.record({ kind: fc.constant("log" as const), message: fc.string({ maxLength: 300 }) }),
  fc.record({ kind: fc.constant("pass" as const), milliseconds: fc.nat({ max: 20_000 }) }),
);

test("a client receives an answer and whole frames, none after a Close frame, and no timer or subscription is left", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 30 }), async (steps) => {
      const tcp = new EmulatedTcp();
      const { server, clock, log } = serve(tcp);
      const peer = tcp.connect({ takesAll: false });
      peer.send(upgradeRequest());
      for (const step of steps) {
        if (step.kind === "send") peer.send(Uint8Array.from(step.bytes));
        else if (step.kind === "drain") peer.drain(step.byteLength);
        else if (step.kind === "log") log.write("info", "test", step.message);
        else clock.advance(step.milliseconds);
        await turn();
      }
      const wasClosed = peer.isClosed;
      peer.takesAll = true;
      peer.settle();
      server.close();
      const received = Buffer.from(peer.takeBytes());
      if (!wasClosed) expectFrames(received);
      expect(peer.isClosed).toBe(true);
      expect(clock.timerCount).toBe(0);
    }),
    { numRuns: 300 },
  );
});

/** Throws where a frame is cut or broken. */
function expectFrames(received: Buffer): void {
  const frames = readServerFrames(received.subarray(received.indexOf("\r\n\r\n") + 4));
  const closing = frames.findIndex(({ opcode }) => opcode === OPCODE.close);
  expect(closing).toBe(frames.length - 1);
  for (const { opcode, payload } of frames)
    if (opcode === OPCODE.text) expect(Buffer.from(payload).toString()).toMatch(/^\d+\.\d{3} [IW] .*\n$/);
}
