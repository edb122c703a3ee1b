/**
 * The Guest port without a Wasm engine: the test plays the app. Callbacks run in a later microtask, as the port
 * requires.
 */
import type { Guest, GuestExit, GuestLog, GuestOptions, GuestRequest } from "../../device/ports/guest.js";

interface Waiting {
  readonly request: GuestRequest;
  readonly answer: Uint8Array;
  readonly resolve: (outcome: CallOutcome) => void;
}

export interface CallOutcome {
  readonly result: number;
  /** The app's answer buffer after the call. */
  readonly bytes: Uint8Array;
}

export class EmulatedGuest implements Guest {
  /** A desktop of the most common kind. */
  static readonly machine: string | undefined = "x86_64";

  readonly options: GuestOptions;
  readonly module: number[] = [];
  entry: string | undefined;
  isClosed = false;
  isSuspended = false;
  /** How often it was brought to the front. */
  fronts = 0;
  #waiting: Waiting | undefined;
  #hasEnded = false;
  readonly #log: GuestLog[] = [];

  constructor(options: GuestOptions) {
    this.options = options;
  }

  load(bytes: Uint8Array): void {
    this.module.push(...bytes);
  }

  start(entry: string): void {
    this.entry = entry;
  }

  stop(): void {
    this.end({ reason: "stopped" });
  }

  suspend(): void {
    this.isSuspended = true;
  }

  resume(): void {
    this.isSuspended = false;
  }

  bringToFront(): void {
    this.fronts++;
  }

  get request(): GuestRequest | undefined {
    return this.#waiting?.request;
  }

  writeAnswer(bytes: Uint8Array, offset: number): void {
    if (!this.#waiting) throw new Error("Nothing waits for an answer");
    this.#waiting.answer.set(bytes, offset);
  }

  answer(result: number): void {
    const waiting = this.#waiting;
    if (!waiting) throw new Error("Nothing waits for an answer");
    this.#waiting = undefined;
    waiting.resolve({ result, bytes: waiting.answer });
  }

  takeLog(): GuestLog | undefined {
    return this.#log.shift();
  }

  close(): void {
    this.isClosed = true;
  }

  /** Ends the app, by itself or because it was stopped. */
  end(exit: GuestExit): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#waiting = undefined;
    queueMicrotask(() => {
      if (!this.isClosed) this.options.onExit(exit);
    });
  }

  /** Writes lines to the app's log. */
  log(...lines: readonly GuestLog[]): void {
    this.#log.push(...lines);
    queueMicrotask(() => this.options.onLog());
  }

  /**
   * Calls a function of the ABI as the app. Resolves with the console's answer; `room` is the answer buffer's size in
   * bytes.
   */
  call(
    name: string,
    parameters: readonly number[],
    input: readonly (string | Uint8Array)[] = [],
    room = 0,
  ): Promise<CallOutcome> {
    const bytes = input.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
    const request: GuestRequest = {
      function: name,
      parameters,
      inputByteLengths: bytes.map(({ length }) => length),
      readInput: (index, into, offset) => {
        const piece = bytes[index]?.subarray(offset, offset + into.length) ?? new Uint8Array();
        into.set(piece);
        return piece.length;
      },
      room,
    };
    return new Promise((resolve) => {
      this.#waiting = { request, answer: new Uint8Array(room), resolve };
      queueMicrotask(() => this.options.onRequest());
    });
  }
}
