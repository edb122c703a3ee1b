/** A small signed app, from its package to its end. */
import { head, line } from "../requests.js";
import type { Scene } from "../scene.js";

const LENGTH = "Content-Length: «package length»";
const FIRST_LENGTH = "Content-Length: «half 1 length»";
const SECOND_LENGTH = "Content-Length: «half 2 length»";
const NO_BODY = "Content-Length: 0";
const NAMED = { params: { name: "tetris" } };

export const APP_SCENES: readonly Scene[] = [
  {
    title: "an app is installed, started and stopped",
    over: "HTTP",
    steps: [
      { send: `${head("POST /api/apps/install", LENGTH)}«package»` },
      {
        send: `${head("POST /api/apps/install", LENGTH, `X-Svc-Signature: ${"00".repeat(64)}`)}«package»`,
      },
      {
        send: `${head("POST /api/apps/install", "Content-Length: 5", "X-Svc-Signature: «signature»")}hello`,
      },
      {
        send: `${head("POST /api/apps/install", LENGTH, "X-Svc-Signature: «signature»", "Expect: 100-continue")}«package»`,
      },
      { send: head("GET /api/apps/list") },
      { send: head("POST /api/apps/start?name=tetris", NO_BODY) },
      { send: head("POST /api/apps/start?name=tetris", NO_BODY) },
      { send: head("GET /api/logs?since=0"), until: /I am here/ },
      { send: head("GET /api/cmd?c=app+status") },
      { send: head("POST /api/apps/stop?name=tetris", NO_BODY) },
      { send: head("POST /api/apps/stop?name=tetris", NO_BODY) },
      { send: head("GET /api/apps/list") },
      { send: head("POST /api/apps/uninstall?name=tetris", NO_BODY) },
      { send: head("POST /api/apps/uninstall?name=tetris", NO_BODY) },
      { send: head("POST /api/apps/start", NO_BODY) },
    ],
  },
  {
    title: "an app in chunks, out of order at first",
    over: "HTTP",
    steps: [
      { send: `${head("POST /api/apps/install?chunk=2&total=2", FIRST_LENGTH)}«half 1»` },
      { send: `${head("POST /api/apps/install?chunk=3&total=2", FIRST_LENGTH)}«half 1»` },
      { send: `${head("POST /api/apps/install?chunk=1&total=2", FIRST_LENGTH)}«half 1»` },
      { send: `${head("POST /api/ota/upload", "Content-Length: 5")}hello` },
      {
        send: `${head("POST /api/apps/install?chunk=2&total=2&signature=«signature»", SECOND_LENGTH)}«half 2»`,
      },
      { send: head("POST /api/apps/uninstall?name=tetris", NO_BODY) },
    ],
  },
  {
    title: "an app in chunks",
    over: "USB",
    steps: [
      { send: line(20, "POST /api/apps/install", { chunk: 1, total: 2, data: "«half 1 in base64»" }) },
      { send: line(21, "POST /api/apps/install", { chunk: 1, total: 2, data: "«half 1 in base64»" }) },
      {
        send: line(22, "POST /api/apps/install", {
          chunk: 2,
          total: 2,
          data: "«half 2 in base64»",
          params: { signature: "«signature»" },
        }),
      },
      { send: line(23, "GET /api/apps/list") },
      { send: line(24, "POST /api/apps/stop", NAMED) },
      { send: line(25, "POST /api/apps/uninstall", NAMED) },
    ],
  },
];
