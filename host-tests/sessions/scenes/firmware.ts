/** Firmware: how an update is doing, and files that are none. */
import { head } from "../requests.js";
import type { Scene } from "../scene.js";

const NO_BODY = "Content-Length: 0";

export const FIRMWARE_SCENES: readonly Scene[] = [
  {
    title: "no firmware",
    over: "HTTP",
    steps: [
      { send: head("GET /api/ota/status") },
      { send: head("POST /api/ota/confirm", NO_BODY) },
      { send: `${head("POST /api/ota/upload", "Content-Length: 2000")}«2000 spaces»` },
      { send: head("GET /api/ota/status") },
      { send: head("GET /api/cmd?c=ota+status") },
    ],
  },
  {
    title: "a page as firmware",
    over: "HTTP",
    steps: [{ send: `${head("POST /upload", "Content-Type: text/html", "Content-Length: 5")}hello` }],
  },
  { title: "the whole log", over: "HTTP", steps: [{ send: head("GET /api/logs?since=0") }] },
];
