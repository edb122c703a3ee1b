/**
 * Keeps a console connected to its hub (docs/spec/device-hub.md#reconnect): registers with a hub that does not know it,
 * connects, and reconnects whenever that ends. `link-state.ts` decides; this file acts.
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

/** Between attempts to reach the hub (docs/spec/device-hub.md#reconnect). */
export const LINK_BACKOFF = Object.freeze({ firstMs: 1_000, lastMs: 300_000 });

export interface HubLinkOptions {
  readonly ports: HubClientPorts;
  readonly address: HubAddress;
  /** Whether this hub knows the console already; else it registers first. */
  readonly isRegistered: boolean;
  /** Asked for at each attempt. */
  identity(): ConsoleIdentity;
  onRegistered(registration: Registration): void;
  onOpen(): void;
  readonly onMessage: (message: HubMessage) => void;
  /** The channel was open and is no more. */
  onClosed(fault: Fault): void;
  /** Something has failed and is tried again after `retryMs`; for the log. Comes after `onClosed` too. */
  onRetry(fault: Fault, retryMs: number): void;
  /** A message was dropped that is of no use, or that there is no room for (`busy`). */
  readonly onMalformed: (fault: Fault) => void;
}

/** Starts by itself. No callback but `identity` runs inside of its methods, and none after `close`. */
export class HubLink {
  readonly #options: HubLinkOptions;
  #state: LinkState = IDLE;
  #registration: RegistrationCall | undefined;
  #push: PushClient | undefined;
  #wait: TimerHandle | undefined;

  constructor(options: HubLinkOptions) {
    this.#options = options;
    this.#on({ kind: "start", isRegistered: options.isRegistered });
  }

  get isOpen(): boolean {
    return this.#state.phase === "open";
  }

  /** @returns whether it was handed over: false while the channel is not open, or takes nothing more */
  send(message: DeviceMessage): boolean {
    return this.#push?.send(message) ?? false;
  }

  /** Sends one message piece by piece, as {@link PushClient.sendPieces} does it. */
  sendPieces(nextPiece: () => string | undefined): boolean {
    return this.#push?.sendPieces(nextPiece) ?? false;
  }

  /** Ends a wait, for instance when a network was joined. */
  retryNow(): void {
    if (this.#state.phase === "waiting") this.#on({ kind: "elapsed" });
  }

  /** Registers anew and reconnects, whatever it is at; nothing is called back about what ends with that. */
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

  /** Leaves the phase it is in, and begins what belongs to the next. */
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

  /** @param attempt its result is ignored once the state is another */
  #register(attempt: LinkState): void {
    const { ports, address } = this.#options;
    this.#registration = new RegistrationCall(ports, address, this.#options.identity());
    void this.#registration.finished.then(
      (registration) => this.#state === attempt && this.#onRegistered(registration),
      (error: unknown) => this.#state === attempt && this.#onFailed(asFault(error)),
    );
  }

  #onRegistered(registration: Registration): void {
    this.#on({ kind: "registered" });
    this.#options.onRegistered(registration);
  }

  #connect(): void {
    // What is passed on as it is takes no function of its own: each that is kept is 11 slots of the heap.
    const { ports, address, onMessage, onMalformed } = this.#options;
    this.#push = new PushClient({
      ...{ ports, address, onMessage, onMalformed, deviceToken: this.#options.identity().deviceToken },
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
    const isUnknown = fault.code === "unauthorized";
    const atMs = this.#options.ports.clock.uptimeMs();
    this.#on({ kind: "failed", atMs, isUnknown, closeCode, atLeastMs: waitOf(fault) });
    const waiting = this.#state;
    if (waiting.phase !== "waiting") return;
    const retryMs = this.#delayMs(waiting);
    this.#wait = this.#options.ports.timer.set(() => this.#on({ kind: "elapsed" }), retryMs);
    if (wasOpen) this.#options.onClosed(fault);
    if (this.#state === waiting) this.#options.onRetry(fault, retryMs);
  }

  #delayMs({ failures, atLeastMs, isLongest }: WaitingState): number {
    if (isLongest) return LINK_BACKOFF.lastMs;
    return Math.max(backoffMs(failures, chanceOf(this.#options.ports.random), LINK_BACKOFF), atLeastMs);
  }
}

/** A bug of ours must not end the attempts. */
function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault("internal_error", String(error), { cause: error });
}
