/**
 * The one table of endpoints. HTTP, USB and the reference in the documentation are made from it; a new
 * endpoint is a new row here.
 */
import { tokenAnswer } from "../auth/token-endpoints.js";
import { recentLog, switchLogStream } from "../logs/log-endpoints.js";
import { runCommand } from "../shell/command-endpoint.js";
import { reboot, showStatus, showSystem } from "../status/status-endpoints.js";
import type { Endpoint } from "./endpoint.js";

export const ENDPOINTS: readonly Endpoint[] = Object.freeze([
  {
    method: "GET",
    path: "/api/status",
    summary: "What the console is and how it is doing.",
    answer:
      '{"fw_version","codename","uptime_ms","free_heap_bytes","wifi_ip","wifi_rssi","bt_mode":"off|advertising|connected"}',
    handle: showStatus,
  },
  {
    method: "GET",
    path: "/api/system",
    summary: "Board, processor, memory, storage, firmware, limits and features, measured now.",
    answer:
      '{"name","board","arch","mac","cpu":{"model","cores","frequency_mhz"?,"load_percent"},"heap":{"total_bytes","free_bytes","minimum_free_bytes"},"psram":{"total_bytes","free_bytes"}?,"storage":{"total_bytes","free_bytes"},"firmware":{"version","codename","slot":"a|b","state"},"reset_reason","limits":{…},"features":[…]}',
    handle: showSystem,
  },
  {
    method: "POST",
    path: "/api/reboot",
    summary: "Restarts the console once this answer has been sent.",
    answer: '{"rebooting":true}',
    handle: reboot,
  },
  {
    method: "GET",
    path: "/api/logs",
    summary: "Lines of the log buffer. Over USB they come as `log` events instead.",
    transport: "http",
    parameters: [
      {
        name: "since",
        type: "integer",
        summary:
          "Number of the first line wanted: the `next` of the answer before. Left out, the newest `limit` lines. One beyond the newest line (the console has restarted) gives everything.",
      },
      { name: "limit", type: "integer", summary: "How many lines at the most; left out, all of them." },
    ],
    answer: '{"lines":["<seconds>.<milliseconds> <D|I|W|E> <source>: <message>",…],"next","dropped"}',
    handle: recentLog,
  },
  {
    method: "POST",
    path: "/api/logs/stream",
    summary: "Switches the `log` events of this USB port.",
    transport: "usb",
    parameters: [
      { name: "enabled", type: "flag", isRequired: true, summary: "Whether lines come as events." },
    ],
    answer: '{"enabled"}',
    handle: switchLogStream,
  },
  {
    method: "GET",
    path: "/api/cmd",
    summary: "Runs one shell command. 403 `shell_disabled` where the build leaves the shell out.",
    parameters: [{ name: "c", type: "text", isRequired: true, summary: "The command line." }],
    answer: '{"output"}',
    handle: runCommand,
  },
  {
    method: "GET",
    path: "/api/auth/token",
    summary: "The bearer token of HTTP and WebSocket, and whether this build asks for it.",
    transport: "usb",
    answer: '{"token","required"}',
    handle: ({ accessToken, config }) => tokenAnswer(accessToken.value, config),
  },
  {
    method: "POST",
    path: "/api/auth/token",
    summary: "Replaces the bearer token; the old one is refused from then on.",
    transport: "usb",
    answer: '{"token","required"}',
    handle: ({ accessToken, config }) => tokenAnswer(accessToken.replace(), config),
  },
] satisfies Endpoint[]);
