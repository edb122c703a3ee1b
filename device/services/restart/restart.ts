/**
 * Restarts the console on request: first sends the answer, then restarts, and begins nothing in between that the
 * restart would cut off.
 */
import type { System } from "../../ports/system.js";
import type { JsonAnswer } from "../api/request.js";
import type { Logger } from "../logs/log.js";

export class Restart {
  readonly #system: System;
  readonly #logger: Logger;
  #isRequested = false;
  #onPerform: (() => void) | undefined;

  constructor(system: System, logger: Logger) {
    this.#system = system;
    this.#logger = logger;
  }

  /** From here on no request is taken. */
  get isRequested(): boolean {
    return this.#isRequested;
  }

  /** Call {@link perform} once the client has its answer. */
  request(): void {
    this.#isRequested = true;
  }

  /** The answer to a request for a restart, which follows it. */
  after(answer: JsonAnswer): JsonAnswer {
    this.request();
    return { ...answer, isFinal: true, onSent: () => this.perform() };
  }

  /** Calls back before the console restarts; the last callback set is the one called. */
  onPerform(callback: () => void): void {
    this.#onPerform = callback;
  }

  perform(): void {
    this.#logger.info("rebooting on request");
    this.#onPerform?.();
    this.#system.restart();
  }
}
