/**
 * Runs the home screen (docs/spec/home.md): the app that comes with the firmware, and is in front whenever no other is.
 * It is in no list of apps and counts for no limit.
 */
import { capabilityBit, FIRMWARE_CAPABILITY } from "../../../protocol/capabilities.js";
import type { Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Guest, GuestConstructor, GuestExit } from "../../ports/guest.js";
import type { Api } from "../api/request.js";
import type { Logger } from "../logs/log-line.js";
import type { HomeApp } from "./home-app.js";
import type { HomeChanges } from "./home-changes.js";
import { HomeRequests } from "./home-requests.js";

const EVERY_CAPABILITY = 2 * capabilityBit(FIRMWARE_CAPABILITY) - 1;
/** As apps write it (`AppRunner`). */
const LEVELS = Object.freeze(["debug", "info", "warning", "error"] as const);
const PIECE_BYTES = 4096;
/** Before it starts again after a fault; a fault of its firmware must not take all of the processor. */
const RESTART_MS = 1000;
/** Faults after which it stays away until the console starts again. */
const MOST_FAULTS = 3;

interface HomeScreenOptions {
  readonly app: HomeApp;
  readonly Guest: GuestConstructor;
  readonly api: Api;
  readonly changes: HomeChanges;
  readonly timer: Timer;
  readonly logger: Logger;
  readonly stackBytes: number;
  /** Whether an app is in front. */
  isAppInFront(): boolean;
}

export class HomeScreen {
  readonly #options: HomeScreenOptions;
  #guest: Guest | undefined;
  #requests: HomeRequests | undefined;
  #restart: TimerHandle | undefined;
  #faults = 0;

  constructor(options: HomeScreenOptions) {
    this.#options = options;
  }

  /** Starts it, in front unless an app is there. Logs a failure. @returns whether it runs */
  start(): boolean {
    const { app, Guest, api, changes, logger, stackBytes, isAppInFront } = this.#options;
    try {
      const guest: Guest = new Guest({
        name: "home",
        moduleByteLength: app.module.length,
        capabilities: EVERY_CAPABILITY,
        memoryQuotaBytes: app.memoryQuotaBytes,
        stackBytes,
        nestedBlocks: app.nestedBlocks,
        onRequest: () => this.#requests?.answerCall(),
        onLog: () => this.#takeLog(guest),
        onExit: (exit) => this.#ended(guest, exit),
      });
      this.#guest = guest;
      this.#requests = new HomeRequests({ guest, api, changes });
      for (let at = 0; at < app.module.length; at += PIECE_BYTES)
        guest.load(app.module.subarray(at, at + PIECE_BYTES));
      if (!isAppInFront()) guest.bringToFront();
      guest.start("main");
      return true;
    } catch (error) {
      logger.error(`the home screen cannot start: ${String(error)}`);
      this.#release();
      return false;
    }
  }

  /** Shows the home screen. @returns whether it runs */
  bringToFront(): boolean {
    this.#guest?.bringToFront();
    return this.#guest !== undefined;
  }

  /** Ends it. May be called twice. */
  close(): void {
    this.#options.timer.clear(this.#restart);
    this.#restart = undefined;
    this.#release();
  }

  #takeLog(guest: Guest): void {
    const line = guest.takeLog();
    if (line) this.#options.logger[LEVELS[line.level] ?? "info"](line.text);
  }

  #ended(guest: Guest, { reason, message = "", stack = [] }: GuestExit): void {
    const { logger } = this.#options;
    this.#takeLog(guest);
    const where = stack.length > 0 ? ` in ${stack.join(" < ")}` : "";
    logger.error(`the home screen ended: ${reason} ${message}${where}`);
    this.#release();
    this.#startAgain();
  }

  /** A start that fails, for want of memory, counts as a fault. */
  #startAgain(): void {
    const { logger, timer } = this.#options;
    this.#faults++;
    if (this.#faults < MOST_FAULTS)
      this.#restart = timer.set(() => {
        if (!this.start()) this.#startAgain();
      }, RESTART_MS);
    else logger.error("it stays away until the console starts again");
  }

  #release(): void {
    this.#requests?.close();
    this.#guest?.close();
    this.#requests = undefined;
    this.#guest = undefined;
  }
}
