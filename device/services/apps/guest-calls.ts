/**
 * Answers the calls of a running app: storage, connections, other apps. One call at a time, since the app waits for it.
 * The engine has checked capabilities and memory bounds; other invalid input yields an error result, so no method
 * throws.
 */
import type { Directory } from "../../ports/files.js";
import type { Guest, GuestRequest } from "../../ports/guest.js";
import type { Logger } from "../logs/log-line.js";
import { INVALID, IO_ERROR, NO_HARDWARE, NOT_FOUND, NOT_SUPPORTED } from "./abi-results.js";
import { AppData } from "./app-data.js";
import { SLICE_BYTES } from "./app-store.js";

import type { GuestConnections } from "./guest-connections.js";

/** Longest name, key or host. */
const TEXT_LIMIT_BYTES = 255;

export interface GuestCallsOptions {
  readonly name: string;
  readonly guest: Guest;
  readonly files: Directory;
  readonly apps: AppControl;
  readonly connections: GuestConnections;
  readonly logger: Logger;
}

/** Returns the answer, or `undefined` if the handler answers later by itself. */
type Handler = (calls: GuestCalls, request: GuestRequest) => number | undefined | Promise<number>;

export class GuestCalls {
  readonly #name: string;
  readonly #guest: Guest;
  readonly #data: AppData;
  readonly #apps: AppControl;
  readonly #connections: GuestConnections;
  readonly #logger: Logger;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #isClosed = false;

  constructor({ name, guest, files, apps, connections, logger }: GuestCallsOptions) {
    this.#name = name;
    this.#guest = guest;
    this.#data = new AppData(files, name);
    this.#apps = apps;
    this.#connections = connections;
    this.#logger = logger;
  }

  /** Answers the pending request. */
  answerRequest(): void {
    const request = this.#guest.request;
    if (!request || this.#isClosed) return;
    try {
      const handler = HANDLERS[request.function];
      const result = handler ? handler(this, request) : NOT_SUPPORTED;
      if (typeof result === "number") this.#answer(result);
      else if (result) this.#answerLater(request.function, result);
    } catch (error) {
      this.#fail(request.function, error);
    }
  }

  /** Releases everything that the app held; no request is answered afterwards. */
  close(): void {
    this.#isClosed = true;
    this.#connections.close();
  }

  storageSize(request: GuestRequest): number {
    const key = this.#text(request);
    return key === undefined ? INVALID : this.#data.size(key);
  }

  storageRead(request: GuestRequest): number {
    const key = this.#text(request);
    const offset = request.parameters[2] ?? 0;
    if (key === undefined || offset < 0) return INVALID;
    const file = this.#data.open(key);
    if (typeof file === "number") return file;
    try {
      return this.#copyOut(request.room, (into, at) => file.read(into, offset + at));
    } finally {
      file.close();
    }
  }

  storageWrite(request: GuestRequest): number {
    const key = this.#text(request);
    if (key === undefined) return INVALID;
    const byteLength = request.inputByteLengths[1] ?? 0;
    return this.#data.write(key, { byteLength, read: (into, offset) => request.readInput(1, into, offset) });
  }

  storageDelete(request: GuestRequest): number {
    const key = this.#text(request);
    return key === undefined ? INVALID : this.#data.delete(key);
  }

  netConnect(request: GuestRequest): number | Promise<number> {
    const host = this.#text(request);
    return host ? this.#connections.connect(host, request.parameters[2] ?? 0) : INVALID;
  }

  netSend(request: GuestRequest): number | undefined {
    const byteLength = Math.min(SLICE_BYTES, request.inputByteLengths[0] ?? 0);
    const outgoing = { byteLength, read: (into: Uint8Array) => void request.readInput(0, into, 0) };
    return this.#connections.send(request.parameters[0] ?? 0, outgoing, (result) => this.#answer(result));
  }

  netReceive(request: GuestRequest): number | undefined {
    const [handle = 0, , , timeoutMs = 0] = request.parameters;
    const byteLength = Math.min(SLICE_BYTES, request.room);
    const received = this.#connections.receive(handle, byteLength, timeoutMs, (later) =>
      this.#answer(this.#deliver(later)),
    );
    return received === undefined ? undefined : this.#deliver(received);
  }

  netClose(request: GuestRequest): number {
    return this.#connections.closeOne(request.parameters[0] ?? 0);
  }

  appStart(request: GuestRequest): number {
    const name = this.#text(request);
    if (name === undefined) return INVALID;
    return this.#apps.startFor(name, this.#name);
  }

  appStop(request: GuestRequest): number | Promise<number> {
    const name = this.#text(request);
    if (name === undefined) return INVALID;
    if (!this.#apps.isRunning(name)) return NOT_FOUND;
    const stopped = this.#apps.stopFor(name);
    return name === this.#name ? 0 : stopped.then(() => 0);
  }

  appList(request: GuestRequest): number {
    const encoder = new TextEncoder();
    let length = 0;
    const put = (text: string) => {
      const bytes = encoder.encode(text);
      const fitting = bytes.subarray(0, Math.max(0, request.room - length));
      if (fitting.length > 0) this.#guest.writeAnswer(fitting, length);
      length += bytes.length;
    };
    let separator = "[";
    for (const name of this.#apps.names) {
      put(separator + JSON.stringify(this.#apps.summary(name)));
      separator = ",";
    }
    put(separator === "[" ? "[]" : "]");
    return length;
  }

  /** @returns the ABI result */
  #deliver(received: Uint8Array | number): number {
    if (typeof received === "number") return received;
    if (this.#isWaiting) this.#guest.writeAnswer(received, 0);
    return received.length;
  }

  #answerLater(name: string, result: Promise<number>): void {
    result.then(
      (value) => this.#answer(value),
      (error: unknown) => this.#fail(name, error),
    );
  }

  #fail(name: string, error: unknown): void {
    this.#logger.error(`${name} of "${this.#name}" failed: ${String(error)}`);
    this.#answer(IO_ERROR);
  }

  #answer(result: number): void {
    if (this.#isWaiting) this.#guest.answer(result);
  }

  /** Whether the app waits for an answer; a stopped app does not, even before it has ended. */
  get #isWaiting(): boolean {
    return !this.#isClosed && this.#guest.request !== undefined;
  }

  /** The text in the first input buffer; `undefined` if it is too long or not UTF-8. */
  #text(request: GuestRequest): string | undefined {
    const byteLength = request.inputByteLengths[0] ?? 0;
    if (byteLength > TEXT_LIMIT_BYTES) return undefined;
    const bytes = new Uint8Array(byteLength);
    request.readInput(0, bytes, 0);
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined; // not UTF-8
    }
  }

  /** Copies to the app piece by piece until its buffer is full or `read` returns 0. */
  #copyOut(room: number, read: (into: Uint8Array, at: number) => number): number {
    const piece = new Uint8Array(Math.min(SLICE_BYTES, room));
    let copied = 0;
    while (copied < room) {
      const taken = read(piece.subarray(0, Math.min(piece.length, room - copied)), copied);
      if (taken === 0) break;
      this.#guest.writeAnswer(piece.subarray(0, taken), copied);
      copied += taken;
    }
    return copied;
  }
}

/** Handlers by ABI function name. */
const HANDLERS: Readonly<Record<string, Handler>> = Object.freeze({
  storage_size: (calls, request) => calls.storageSize(request),
  storage_read: (calls, request) => calls.storageRead(request),
  storage_write: (calls, request) => calls.storageWrite(request),
  storage_delete: (calls, request) => calls.storageDelete(request),
  net_connect: (calls, request) => calls.netConnect(request),
  net_send: (calls, request) => calls.netSend(request),
  net_receive: (calls, request) => calls.netReceive(request),
  net_close: (calls, request) => calls.netClose(request),
  ble_advertise: () => NO_HARDWARE,
  ble_stop: () => NO_HARDWARE,
  app_start: (calls, request) => calls.appStart(request),
  app_stop: (calls, request) => calls.appStop(request),
  app_list: (calls, request) => calls.appList(request),
} satisfies Record<string, Handler>);

/** Control over other apps, for apps with `app.control`. */
export interface AppControl {
  isRunning(name: string): boolean;
  /**
   * Starts an app in front, if its caller is there, else behind the one that is.
   * @param caller name of the app that asks
   * @returns an ABI result: 0, -2 if no app has that name, -16 if it runs or too many apps run
   */
  startFor(name: string, caller: string): number;
  /** Resolves once the app has ended. */
  stopFor(name: string): Promise<void>;
  readonly names: readonly string[];
  /** @throws {Fault} `app_not_found` */
  summary(name: string): AppSummary;
}

export type AppSummary = {
  readonly name: string;
  readonly version: string;
  readonly state: "stopped" | "running";
};
