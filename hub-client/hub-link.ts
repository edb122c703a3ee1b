/**
 * Keeps a console connected to its hub (docs/spec/device-hub.md#reconnect): registers the console if necessary,
 * connects, and reconnects after each loss. `link-state.ts` decides; this file acts.
 */
import { Fault } from "../protocol/fault.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import type { DeviceMessage, HubMessage } from "../protocol/hub/push-messages.js";
import type { TimerHandle } from "../protocol/ports/runtime.js";
import { waitOf } from "./http-client.js";
import {
  advance,
  backoffMs,
  chanceOf,
  IDLE,
  type LinkEvent,
  type LinkState,
  type WaitingState,
} from "./link-state.js";
import type { HubClientPorts } from "./ports.js";
import { PushClient } from "./push-client.js";
import { type ConsoleIdentity, type Registration, RegistrationCall } from "./registration.js";

/** Delay between attempts to reach the hub (docs/spec/device-hub.md#reconnect). */
export const LINK_BACKOFF = Object.freeze({ firstMs: 1_000, lastMs: 300_000 });

export interface HubLinkOptions {
  readonly ports: HubClientPorts;
  readonly address: HubAddress;
  /** Whether the console is registered with this hub; else it registers first. */
  readonly isRegistered: boolean;
  /** Of the registration with this hub: see {@link Registration}. */
  readonly takesBearer?: boolean;
  /** Called at each registration. */
  identity(): ConsoleIdentity;
  onRegistered(registration: Registration): void;
  onOpen(): void;
  readonly onMessage: (message: HubMessage) => void;
  /** The open channel was lost. */
  onClosed(fault: Fault): void;
  /** An attempt failed and is repeated after `retryMs`; for the log. Also called after `onClosed`. */
  onRetry(fault: Fault, retryMs: number): void;
  /** A message was dropped: it is invalid, or there is no memory for it (`busy`). */
  readonly onMalformed: (fault: Fault) => void;
}

/** Starts in the constructor. No callback except `identity` runs inside its methods, and none after `close`. */
export class HubLink {
  readonly #options: HubLinkOptions;
  #state: LinkState = IDLE;
  #registration: RegistrationCall | undefined;
  #push: PushClient | undefined;
  #wait: TimerHandle | undefined;
  #takesBearer: boolean;

  constructor(options: HubLinkOptions) {
    this.#options = options;
    this.#takesBearer = options.takesBearer === true;
    this.#on({ kind: "start", isRegistered: options.isRegistered });
  }

  get isOpen(): boolean {
    return this.#state.phase === "open";
  }

  /** @returns whether the message was queued: false if the channel is not open or its queue is full */
  send(message: DeviceMessage): boolean {
    return this.#push?.send(message) ?? false;
  }

  /** Sends one message piece by piece; see {@link PushClient.sendPieces}. */
  sendPieces(nextPiece: () => string | undefined): boolean {
    return this.#push?.sendPieces(nextPiece) ?? false;
  }

  /** Ends a wait, for instance after a network was joined. */
  retryNow(): void {
    if (this.#state.phase === "waiting") this.#on({ kind: "elapsed" });
  }

  /** Registers anew and reconnects, from any phase; no callback reports the end of the previous phase. */
  registerAgain(): void {
    this.#on({ kind: "register" });
  }

  /** Stops everything. May be called twice. */
  close(): void {
    this.#on({ kind: "stop" });
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Ends the current phase and starts the next. */
  #on(event: LinkEvent): void {
    this.#state = advance(this.#state, event);
    if (this.#state.phase === "open") return; // the connection goes on
    this.#leave();
    if (this.#state.phase === "registering") this.#register(this.#state);
    else if (this.#state.phase === "connecting") this.#connect();
  }

  #leave(): void {
    this.#options.ports.timer.clear(this.#wait);
    this.#registration?.close();
    this.#push?.close();
    this.#wait = undefined;
    this.#registration = undefined;
    this.#push = undefined;
  }

  /** @param attempt state of this attempt; its result is ignored once the state has changed */
  #register(attempt: LinkState): void {
    const { ports, address } = this.#options;
    this.#registration = new RegistrationCall(ports, address, this.#options.identity());
    void this.#registration.finished.then(
      (registration) => this.#state === attempt && this.#onRegistered(registration),
      (error: unknown) => this.#state === attempt && this.#onFailed(asFault(error)),
    );
  }

  #onRegistered(registration: Registration): void {
    this.#takesBearer = registration.takesBearer === true;
    this.#on({ kind: "registered" });
    this.#options.onRegistered(registration);
  }

  #connect(): void {
    // Callbacks are passed on directly where possible: each closure takes 11 slots of the heap.
    const { ports, address, onMessage, onMalformed } = this.#options;
    this.#push = new PushClient({
      ports,
      address,
      onMessage,
      onMalformed,
      deviceToken: this.#options.identity().deviceToken,
      sendsBearer: this.#takesBearer,
      onOpen: () => this.#onOpen(),
      onClosed: ({ fault, closeCode }) => this.#onFailed(fault, closeCode),
    });
  }

  #onOpen(): void {
    this.#on({ kind: "opened", atMs: this.#options.ports.clock.uptimeMs() });
    this.#options.onOpen();
  }

  #onFailed(fault: Fault, closeCode?: number): void {
    const wasOpen = this.isOpen;
    // A hub that refuses what it once offered is an older one now: the registration tells.
    const isUnknown = fault.code === "unauthorized" || (this.#takesBearer && fault.code === "hub_refused");
    const atMs = this.#options.ports.clock.uptimeMs();
    this.#on({ kind: "failed", atMs, isUnknown, closeCode, atLeastMs: waitOf(fault) });
    const waiting = this.#state;
    if (waiting.phase !== "waiting") return;
    const retryMs = this.#delayMs(waiting);
    this.#wait = this.#options.ports.timer.set(() => this.#on({ kind: "elapsed" }), retryMs);
    if (wasOpen) this.#options.onClosed(fault);
    if (this.#state === waiting) this.#options.onRetry(fault, retryMs);
  }

  #delayMs({ failures, atLeastMs, usesLongestDelay }: WaitingState): number {
    if (usesLongestDelay) return LINK_BACKOFF.lastMs;
    return Math.max(backoffMs(failures, chanceOf(this.#options.ports.random), LINK_BACKOFF), atLeastMs);
  }
}

/** An error in our own code must not end the attempts. */
function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault("internal_error", String(error), { cause: error });
}
