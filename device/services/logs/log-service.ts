/**
 * The console's log: a buffer of numbered lines (docs/spec/logs.md#buffer). The lines of the previous run come first,
 * then a line that marks their end, then the lines of this run.
 */

import type { ResetReason } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import type { Clock } from "../../../protocol/ports/runtime.js";
import type { RetainedMemory } from "../../ports/retained-memory.js";
import type { FirmwareFacts } from "../firmware/firmware-facts.js";
import { LineRing, RetainedTail } from "./line-ring.js";
import { formatLogLine, type Logger, type LogLevel, type LogLines } from "./log-line.js";

// Writes lines under the name of one source, such as `http`. Methods of a class, since each closure costs heap.

interface LineWriter {
  write(level: LogLevel, source: string, message: string): void;
}

class SourceLogger implements Logger {
  readonly #log: LineWriter;
  readonly #source: string;

  constructor(log: LineWriter, source: string) {
    this.#log = log;
    this.#source = source;
  }

  debug(message: string): void {
    this.#log.write("debug", this.#source, message);
  }

  info(message: string): void {
    this.#log.write("info", this.#source, message);
  }

  warning(message: string): void {
    this.#log.write("warning", this.#source, message);
  }

  error(message: string): void {
    this.#log.write("error", this.#source, message);
  }
}

// The log lines of a boot: the reset reason and version, then the name and ports.

export function bootLine({ version, codename }: FirmwareFacts, resetReason: ResetReason): string {
  return `firmware ${version} (${codename}), reset reason is ${resetReason}`;
}

export function readyLine(name: string, httpPort: number, wsPort: number): string {
  return `${name} is ready: HTTP on port ${httpPort}, log on port ${wsPort}`;
}

/** Levels from the most verbose to the least. */
export const LOG_LEVELS: readonly LogLevel[] = Object.freeze(["debug", "info", "warning", "error"]);

/** Separates the lines of the previous run from those of this run. */
const PREVIOUS_RUN_ENDED = "previous run ended here";

interface LogServiceOptions {
  readonly clock: Clock;
  /** Memory of the buffer; ownership passes to the service. */
  readonly buffer: Uint8Array;
  readonly retained: RetainedMemory;
  /** Lines below this level are not kept. */
  readonly level: LogLevel;
  /** Called with each line, terminated by LF: the host's debug console. */
  readonly echo?: (line: string) => void;
}

export class LogService implements LogLines {
  readonly #clock: Clock;
  readonly #ring: LineRing;
  readonly #tail: RetainedTail;
  readonly #echo: ((line: string) => void) | undefined;
  readonly #subscribers = new Set<() => void>();
  #level: LogLevel;
  #willNotify = false;

  constructor(options: LogServiceOptions) {
    this.#clock = options.clock;
    this.#ring = new LineRing(options.buffer);
    this.#tail = new RetainedTail(options.retained);
    this.#echo = options.echo;
    this.#level = options.level;
    this.#replayPreviousRun();
  }

  get first(): number {
    return this.#ring.first;
  }

  get next(): number {
    return this.#ring.next;
  }

  get level(): LogLevel {
    return this.#level;
  }

  set level(level: LogLevel) {
    this.#level = level;
  }

  line(number: number): string {
    return this.#ring.line(number);
  }

  subscribe(onLines: () => void): () => void {
    this.#subscribers.add(onLines);
    return () => this.#subscribers.delete(onLines);
  }

  /** Writes one line, unless its level is below the threshold. */
  write(level: LogLevel, source: string, message: string): void {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#level)) return;
    const line = formatLogLine(this.#clock.uptimeMs(), level, source, message);
    this.#ring.push(line);
    this.#tail.push(line);
    this.#echo?.(`${line}\n`);
    this.#notify();
  }

  /** Create a logger that writes under the name of one source, for instance `http`. */
  loggerFor(source: string): Logger {
    return new SourceLogger(this, source);
  }

  #replayPreviousRun(): void {
    const previous = this.#tail.lines();
    if (previous.length === 0) return;
    for (const line of previous) this.#ring.push(line);
    this.write("info", "boot", PREVIOUS_RUN_ENDED);
  }

  // One microtask for all lines of a turn, so that a subscriber never runs inside the call that logs.
  #notify(): void {
    if (this.#willNotify || this.#subscribers.size === 0) return;
    this.#willNotify = true;
    Promise.resolve().then(() => {
      this.#willNotify = false;
      for (const onLines of this.#subscribers) onLines();
    });
  }
}

/**
 * The log level at start: the requested level, else the stored level, else `info`.
 * @throws {Fault} `config_invalid` if the requested level is none
 */
export function startLevel(asked: string | undefined, remembered: string | undefined): LogLevel {
  const level = LOG_LEVELS.find((candidate) => candidate === (asked ?? remembered));
  if (level || asked === undefined) return level ?? "info";
  throw new Fault("config_invalid", `The log level must be one of ${LOG_LEVELS.join(", ")}, not "${asked}"`);
}
