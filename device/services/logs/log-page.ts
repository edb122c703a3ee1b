/**
 * Followers of the log, and its endpoints. The answer to `GET /api/logs` is produced while the client reads it: all
 * lines of a full buffer in one JSON text need more than the management VM's heap.
 */
import type { Clock } from "../../../protocol/ports/runtime.js";
import type { Call } from "../api/call.js";
import type { Services } from "../api/endpoint.js";
import type { ByteStream, JsonAnswer, StreamedAnswer } from "../api/request.js";
import { formatLogLine, type LogLines } from "./log-line.js";

// Follows the log at a reader's own speed. Keeps a number, not a queue: counts lines that were overwritten before they
// were read, and reports the count in a line in their place.

export class LogFollower {
  readonly #log: LogLines;
  readonly #clock: Clock;
  readonly #source: string;
  #next: number;

  /**
   * Begins with the oldest line.
   * @param source name of the service that reports lost lines
   */
  constructor(log: LogLines, clock: Clock, source: string) {
    this.#log = log;
    this.#clock = clock;
    this.#source = source;
    this.#next = log.first;
  }

  /** @returns the next line without terminator, or `undefined` while there is none */
  next(): string | undefined {
    const lost = this.#log.first - this.#next;
    if (lost > 0) {
      this.skipLost();
      return formatLogLine(this.#clock.uptimeMs(), "warning", this.#source, `${lost} log lines were lost`);
    }
    return this.#next < this.#log.next ? this.#log.line(this.#next++) : undefined;
  }

  /** Skips overwritten lines without reporting them. */
  skipLost(): void {
    this.#next = Math.max(this.#next, this.#log.first);
  }

  /** Begins again with the oldest line. */
  rewind(): void {
    this.#next = this.#log.first;
  }
}

/** Lines are added to a piece until it has this many characters: few pieces, and no large one. */
const PIECE_CHARACTERS = 768;

class LogPage implements ByteStream {
  readonly #log: LogLines;
  readonly #end: number;
  readonly #encoder = new TextEncoder();
  #position: number;
  #dropped: number;
  #part: "head" | "lines" | "nothing" = "head";
  #separator = "";

  /**
   * @param start number of the first line
   * @param end number of the line after the last
   * @param dropped requested lines that were overwritten; lines overwritten during the answer are added
   */
  constructor(log: LogLines, start: number, end: number, dropped: number) {
    this.#log = log;
    this.#position = start;
    this.#end = end;
    this.#dropped = dropped;
  }

  next(): Uint8Array | undefined {
    if (this.#part === "nothing") return undefined;
    let text = this.#part === "head" ? '{"lines":[' : "";
    this.#part = "lines";
    this.#skipDropped();
    while (this.#position < this.#end && text.length < PIECE_CHARACTERS) text += this.#nextLine();
    if (this.#position >= this.#end) {
      text += `],"next":${this.#end},"dropped":${this.#dropped}}`;
      this.#part = "nothing";
    }
    return this.#encoder.encode(text);
  }

  close(): void {
    this.#part = "nothing";
  }

  #nextLine(): string {
    const line = `${this.#separator}${JSON.stringify(this.#log.line(this.#position))}`;
    this.#separator = ",";
    this.#position += 1;
    return line;
  }

  #skipDropped(): void {
    const first = Math.min(this.#end, Math.max(this.#position, this.#log.first));
    this.#dropped += first - this.#position;
    this.#position = first;
  }
}

// `GET /api/logs` and `POST /api/logs/stream`.

export function recentLog({ log }: Services, { parameters }: Call): StreamedAnswer {
  const since = parameters.integer("since");
  const limit = parameters.integer("limit") ?? Number.MAX_SAFE_INTEGER;
  const start = since === undefined ? Math.max(log.first, log.next - limit) : startAt(log, since);
  const end = Math.min(log.next, start + limit);
  const stream = new LogPage(log, start, end, droppedSince(log, since));
  return { status: 200, mediaType: "application/json", stream };
}

export function switchLogStream({ servers }: Services, { parameters }: Call): JsonAnswer {
  const enabled = parameters.flag("enabled") === true;
  servers.usb.streamLogs(enabled);
  return { status: 200, body: { enabled } };
}

// Numbers start again at every boot: a number that this run has not reached is from an earlier run.
function startAt(log: LogLines, since: number): number {
  return since > log.next ? log.first : Math.max(log.first, since);
}

function droppedSince(log: LogLines, since: number | undefined): number {
  return since === undefined || since > log.next ? 0 : Math.max(0, log.first - since);
}
