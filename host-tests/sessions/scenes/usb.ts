/** The lines of USB: requests, answers, events, and what is refused. */
import { line } from "../requests.js";
import type { Scene } from "../scene.js";

export const USB_SCENES: readonly Scene[] = [
  {
    title: "before the discovery request there are no events, after it there is the log",
    over: "USB",
    steps: [
      { send: line(1, "GET /api/system") },
      { send: line(2, "GET /api/status"), events: [/ firmware /, / is ready: /] },
      { send: line(3, "POST /api/logs/stream", { params: { enabled: false } }) },
    ],
  },
  {
    title: "requests",
    over: "USB",
    steps: [
      { send: line(4, "GET /api/cmd", { params: { c: 'ls "/lfs"' } }) },
      { send: line(5, "GET /api/cmd", { params: { c: "größe 😀" } }) },
      { send: line(6, "GET /api/v1/ota/status") },
      { send: line(20, "GET /api/cmd", { params: { c: "half \ud83d" } }) },
      { send: line(7, "GET /api/auth/token") },
      { send: line(8, "GET /api/screen") },
      {
        send:
          line(9, "GET /api/cmd", { params: { c: "1" } }) + line(10, "GET /api/cmd", { params: { c: "2" } }),
        answers: 2,
      },
    ],
  },
  {
    title: "what is refused",
    over: "USB",
    steps: [
      { send: "hello\n" },
      { send: "\n{}\n" },
      { send: '{"jsonrpc":"2.0","id":11}\n' },
      { send: '{"jsonrpc":"2.0","id":"eleven","method":"GET","path":"/api/cmd","params":{"c":1}}\n' },
      { send: line(12, "GET /api/nothing") },
      { send: line(13, "POST /api/status") },
      { send: line(14, "GET /api/logs") },
      { send: line(15, "GET /api/cmd") },
      { send: line(16, "POST /api/logs/stream", { params: { enabled: "perhaps" } }) },
      { send: `${line(17, "GET /api/status").slice(0, -2)},"x":"«2000 spaces»"}\n` },
      { send: line(18, "POST /api/apps/install", { chunk: 0, total: 1, data: "" }) },
      { send: line(19, "POST /api/apps/install", { chunk: 1, total: 1, data: "?" }) },
      { send: line(21, "POST /api/wifi", { params: { ssid: "half \ud83d" } }) },
      { send: `${"[".repeat(100)}\n` },
    ],
  },
];
