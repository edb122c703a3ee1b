/**
 * Chooses the next event of the port, if any (docs/spec/usb.md#events-start). Events start with the host's discovery
 * request, the buffered log first. There is no queue: the log is followed by number, and any number of changes of the
 * status is one event.
 */
import type { Json } from "../../../protocol/json-value.js";
import type { LogFollower } from "../logs/log-follower.js";
import { eventLine } from "./output-line.js";

export class Events {
  readonly #log: LogFollower;
  readonly #status: () => Json;
  #isStarted = false;
  #isLogEnabled = true;
  #hasStatusChanged = false;

  constructor(log: LogFollower, status: () => Json) {
    this.#log = log;
    this.#status = status;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** The host has found out what it talks to. Starting again changes nothing. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#log.rewind();
  }

  /** The host has gone; the next one starts anew. */
  reset(): void {
    this.#isStarted = false;
    this.#isLogEnabled = true;
    this.#hasStatusChanged = false;
  }

  /** Lines that the host did not request are not lost: no event reports lines overwritten meanwhile. */
  enableLog(isEnabled: boolean): void {
    if (isEnabled && !this.#isLogEnabled) this.#log.skipLost();
    this.#isLogEnabled = isEnabled;
  }

  /** Before the start there is nothing to tell: the discovery request shows the status itself. */
  changeStatus(): void {
    this.#hasStatusChanged = this.#isStarted;
  }

  /** The line of the next event, `undefined` while there is none. */
  next(): string | undefined {
    if (!this.#isStarted) return undefined;
    if (this.#hasStatusChanged) return this.#nextStatus();
    const line = this.#isLogEnabled ? this.#log.next() : undefined;
    return line === undefined ? undefined : eventLine("log", line);
  }

  #nextStatus(): string {
    this.#hasStatusChanged = false;
    return eventLine("status", this.#status());
  }
}
