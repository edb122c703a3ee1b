/**
 * Restarts the console on request: sends the answer, then restarts. The console accepts no request in between, which
 * the restart would cut off.
 */
import { Fault } from "../../../protocol/fault.js";
import type { System } from "../../ports/system.js";
import type { JsonAnswer } from "../api/request.js";
import type { Logger } from "../logs/log-line.js";

// Safe mode: the console enters it after several crashes in a row, so that its owner can repair it over HTTP or the
// cable. Safe mode disables apps, drives and the hub, since one of them may cause the crash. A restart leaves safe mode
// (docs/adr/0023-verified-boot.md).

export const SAFE_MODE_LINE =
  "safe mode, since the console has crashed several times in a row: no apps, no drives, no hub; a reboot leaves it";

/**
 * The fault of a request that safe mode does not allow (docs/spec/boot-and-slots.md#safe-mode).
 * @param what the disabled function, as a clause
 */
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

  /** Once true, the console accepts no request. */
  get isRequested(): boolean {
    return this.#isRequested;
  }

  /** Requests a restart; the caller calls {@link perform} once the client has its answer. */
  request(): void {
    this.#isRequested = true;
  }

  /** @returns `answer`, followed by a restart once it is sent */
  after(answer: JsonAnswer): JsonAnswer {
    this.request();
    return { ...answer, isFinal: true, onSent: () => this.perform() };
  }

  /** Sets the callback that runs before the console restarts; it replaces an earlier one. */
  onPerform(callback: () => void): void {
    this.#onPerform = callback;
  }

  perform(): void {
    this.#logger.info("rebooting on request");
    this.#onPerform?.();
    this.#system.restart();
  }
}
