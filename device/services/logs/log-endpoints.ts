/** `GET /api/logs` and `POST /api/logs/stream`. */
import type { Call, Services } from "../api/endpoint.js";
import type { JsonAnswer, StreamedAnswer } from "../api/request.js";
import type { LogLines } from "./log.js";
import { LogPage } from "./log-page.js";

export function recentLog({ log }: Services, { parameters }: Call): StreamedAnswer {
  const since = parameters.integer("since");
  const limit = parameters.integer("limit") ?? Number.MAX_SAFE_INTEGER;
  const start = since === undefined ? Math.max(log.first, log.next - limit) : startAt(log, since);
  const end = Math.min(log.next, start + limit);
  const stream = new LogPage(log, start, end, droppedSince(log, since));
  return { status: 200, mediaType: "application/json", stream };
}

export function switchLogStream({ logStream }: Services, { parameters }: Call): JsonAnswer {
  const enabled = parameters.flag("enabled") === true;
  logStream.streamLogs(enabled);
  return { status: 200, body: { enabled } };
}

// Numbers start again at every boot: a number that was never given away is from before the last one.
function startAt(log: LogLines, since: number): number {
  return since > log.next ? log.first : Math.max(log.first, since);
}

function droppedSince(log: LogLines, since: number | undefined): number {
  return since === undefined || since > log.next ? 0 : Math.max(0, log.first - since);
}
