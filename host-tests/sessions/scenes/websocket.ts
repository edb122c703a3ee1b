/** The WebSocket: handshake, log lines, control frames, and what is refused. */
import { head } from "../requests.js";
import type { Scene } from "../scene.js";

/** The request of RFC 6455 §1.3, whose answer is there as well. */
const UPGRADE = [
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version: 13",
];

export const WEBSOCKET_SCENES: readonly Scene[] = [
  {
    title: "log lines, a ping, and an end in good order",
    over: "WebSocket",
    steps: [
      { send: head("GET /ws", ...UPGRADE) },
      { until: / is ready: / },
      { frame: { opcode: "ping", payload: "are you there?" } },
      { frame: { opcode: "ping" } },
      { frame: { opcode: "close", payload: "\x03\xe8" } },
    ],
  },
  {
    title: "a frame without a mask",
    over: "WebSocket",
    steps: [
      { send: head("GET /ws", ...UPGRADE) },
      { until: / is ready: / },
      { frame: { opcode: "text", payload: "hello", isMasked: false } },
    ],
  },
  { title: "another path", over: "WebSocket", steps: [{ send: head("GET /other", ...UPGRADE) }] },
  { title: "no upgrade", over: "WebSocket", steps: [{ send: head("GET /ws") }] },
  {
    title: "an invalid key",
    over: "WebSocket",
    steps: [
      {
        send: head("GET /ws", ...UPGRADE.map((field) => field.replace("dGhlIHNhbXBsZSBub25jZQ==", "short"))),
      },
    ],
  },
  {
    title: "a page elsewhere",
    over: "WebSocket",
    steps: [{ send: head("GET /ws", ...UPGRADE, "Origin: https://evil.example") }],
  },
];
