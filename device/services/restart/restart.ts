/**
 * Restarts the console on request: first sends the answer, then restarts, and begins nothing in between that the
 * restart would cut off.
 */
import { Fault } from "../../../protocol/fault.js";
import type { System } from "../../ports/system.js";
import type { JsonAnswer } from "../api/request.js";
import type { Logger } from "../logs/log-line.js";

// Safe mode: the console enters it after crashes in a row, so that its owner can repair it over HTTP or the cable. It
// disables apps, drives and the hub, since one of them may cause the crash; a restart leaves safe mode (docs/adr/0023).

export const SAFE_MODE_LINE =
  "safe mode, since the console has crashed several times in a row: no apps, no drives, no hub; a reboot leaves it";

/** What safe mode does not do (docs/spec/boot-and-slots.md#safe-mode). @param what is not done, as a sentence */
export function safeModeFault(what: string): Fault {
  return new Fault("safe_mode", `The console is in safe mode: ${what}; reboot it to leave safe mode`);
}

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
