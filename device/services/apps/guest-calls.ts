/**
 * Answers the calls of a running app: storage, files on the card, connections, Bluetooth, other apps. One call at a time, since the app waits for it.
 * The engine has checked capabilities and memory bounds; other invalid input yields an error result, so no method
 * throws.
 */
import { isSameApp } from "../../../protocol/manifest/app-name.js";
import type { Drives, ReadOnlyFile } from "../../ports/drives.js";
import type { Directory } from "../../ports/files.js";
import type { Guest, GuestRequest } from "../../ports/guest.js";
import type { Logger } from "../logs/log-line.js";
import { BUSY, INVALID, IO_ERROR, NO_HARDWARE, NOT_FOUND, NOT_SUPPORTED } from "./abi-results.js";
import type { Advertising } from "./advertising.js";
import { AppData, type ValueSource } from "./app-data.js";
import { ABI_TEXT_LIMIT_BYTES } from "./app-data-limits.js";
import { SLICE_BYTES } from "./app-store.js";
import { CardFiles } from "./card-files.js";
import type { GuestConnections } from "./guest-connections.js";
import type { GuestRequests } from "./guest-requests.js";
import { isFieldName, REQUEST_LIMIT_BYTES, readRequest } from "./request-text.js";

/** Most bytes that one call reads from the card, which a board reaches at a megabyte a second: no call takes long. */
const CARD_READ_BYTES = 16 * 1024;

export interface GuestCallsOptions {
  readonly name: string;
  readonly guest: Guest;
  readonly files: Directory;
  readonly drives: Drives;
  readonly apps: AppControl;
  readonly connections: GuestConnections;
  /** Left out without Bluetooth. */
  readonly advertising?: Advertising | undefined;
  readonly requests: GuestRequests;
  readonly time: TimeOfDay;
  readonly logger: Logger;
}

export interface TimeOfDay {
  /** Milliseconds since 1970, UTC; `undefined` while it is not known. */
  readonly nowMs: number | undefined;
  /** Minutes by which local time is ahead of UTC. */
  readonly utcOffsetMin: number;
}

/** Returns the answer, or `undefined` if the handler answers later by itself. */
type Handler = (calls: GuestCalls, request: GuestRequest) => number | undefined | Promise<number>;

export class GuestCalls {
  readonly #name: string;
  readonly #guest: Guest;
  readonly #data: AppData;
  readonly #card: CardFiles;
  readonly #apps: AppControl;
  readonly #connections: GuestConnections;
  readonly #advertising: Advertising | undefined;
  readonly #requests: GuestRequests;
  readonly #time: TimeOfDay;
  readonly #logger: Logger;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #isClosed = false;

  constructor(options: GuestCallsOptions) {
    const { name, guest, files, drives, apps, connections, requests, advertising, time, logger } = options;
    this.#name = name;
    this.#guest = guest;
    this.#data = new AppData(files, name);
    this.#card = new CardFiles(drives, name);
    this.#apps = apps;
    this.#connections = connections;
    this.#advertising = advertising;
    this.#requests = requests;
    this.#time = time;
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
    this.#advertising?.stop(this.#name);
    this.#requests.close();
  }

  clockMs(): number {
    return this.#time.nowMs ?? BUSY;
  }

  clockOffset(): number {
    return this.#time.utcOffsetMin;
  }

  storageSize(request: GuestRequest): number {
    const key = this.#text(request);
    return key === undefined ? INVALID : this.#data.size(key);
  }

  storageRead(request: GuestRequest): number {
    const key = this.#text(request);
    const offset = request.parameters[2] ?? 0;
    if (key === undefined || offset < 0) return INVALID;
    return this.#readOut(request, this.#data.open(key), offset);
  }

  storageWrite(request: GuestRequest): number {
    const key = this.#text(request);
    if (key === undefined) return INVALID;
    return this.#data.write(key, inputOf(request));
  }

  storageWriteAt(request: GuestRequest): number {
    const key = this.#text(request);
    if (key === undefined) return INVALID;
    return this.#data.writeAt(key, request.parameters[2] ?? 0, inputOf(request));
  }

  storageList(request: GuestRequest): number {
    let length = 0;
    for (const key of this.#data.keys) length = this.#put(request, `${key}\n`, length);
    return length;
  }

  storageDelete(request: GuestRequest): number {
    const key = this.#text(request);
    return key === undefined ? INVALID : this.#data.delete(key);
  }

  cardSize(request: GuestRequest): number {
    const path = this.#text(request);
    return path === undefined ? INVALID : this.#card.size(path);
  }

  cardRead(request: GuestRequest): number {
    const path = this.#text(request);
    const offset = request.parameters[2] ?? 0;
    if (path === undefined || offset < 0) return INVALID;
    return this.#readOut(request, this.#card.open(path), offset, CARD_READ_BYTES);
  }

  cardList(request: GuestRequest): number {
    const path = this.#text(request);
    if (path === undefined) return INVALID;
    let length = 0;
    const error = this.#card.list(
      path,
      (name) => {
        length = this.#put(request, `${name}\n`, length);
      },
      () => this.#logger.debug(`"${this.#name}" gets a part of the names in "${path}": there are too many`),
    );
    return error || length;
  }

  cardWrite(request: GuestRequest): number {
    const path = this.#text(request);
    return path === undefined
      ? INVALID
      : this.#card.write(path, request.parameters[2] ?? 0, inputOf(request));
  }

  cardDelete(request: GuestRequest): number {
    const path = this.#text(request);
    return path === undefined ? INVALID : this.#card.delete(path);
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

  bleAdvertise(request: GuestRequest): number {
    if (!this.#advertising) return NO_HARDWARE;
    const name = this.#text(request);
    return name === undefined ? INVALID : this.#advertising.start(this.#name, name);
  }

  bleStop(): number {
    return this.#advertising ? this.#advertising.stop(this.#name) : NO_HARDWARE;
  }

  httpRequest(request: GuestRequest): number {
    const byteLength = request.inputByteLengths[0] ?? 0;
    if (byteLength > REQUEST_LIMIT_BYTES) return INVALID;
    const text = new Uint8Array(byteLength);
    request.readInput(0, text, 0);
    const read = readRequest(text, this.#decoder);
    return read ? this.#requests.open(read) : INVALID;
  }

  httpStatus({ parameters: [handle = 0, timeoutMs = 0] }: GuestRequest): number | undefined {
    return this.#requests.status(handle, timeoutMs, (status) => this.#answer(status));
  }

  httpField(request: GuestRequest): number {
    const name = this.#text(request)?.toLowerCase();
    if (name === undefined || !isFieldName(name)) return INVALID;
    const value = this.#requests.field(request.parameters[0] ?? 0, name);
    return value === undefined ? NOT_FOUND : this.#put(request, value, 0);
  }

  httpRead(request: GuestRequest): number | undefined {
    const [handle = 0, , , timeoutMs = 0] = request.parameters;
    const byteLength = Math.min(SLICE_BYTES, request.room);
    const read = this.#requests.read(handle, byteLength, timeoutMs, (later) =>
      this.#answer(this.#deliver(later)),
    );
    return read === undefined ? undefined : this.#deliver(read);
  }

  httpClose(request: GuestRequest): number {
    return this.#requests.closeOne(request.parameters[0] ?? 0);
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
    return isSameApp(name, this.#name) ? 0 : stopped.then(() => 0);
  }

  appList(request: GuestRequest): number {
    let length = 0;
    let separator = "[";
    for (const name of this.#apps.names) {
      length = this.#put(request, separator + JSON.stringify(this.#apps.summary(name)), length);
      separator = ",";
    }
    return this.#put(request, separator === "[" ? "[]" : "]", length);
  }

  /** Copies as much of a text as fits to the app's buffer, from `at` on. @returns where the whole text ends */
  #put({ room }: GuestRequest, text: string, at: number): number {
    const bytes = new TextEncoder().encode(text);
    const fitting = bytes.subarray(0, Math.max(0, room - at));
    if (fitting.length > 0) this.#guest.writeAnswer(fitting, at);
    return at + bytes.length;
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
    if (byteLength > ABI_TEXT_LIMIT_BYTES) return undefined;
    const bytes = new Uint8Array(byteLength);
    request.readInput(0, bytes, 0);
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined; // not UTF-8
    }
  }

  /** Copies a file from `offset` on, and closes it; an error that came in its place is the result. */
  #readOut(
    { room }: GuestRequest,
    file: Pick<ReadOnlyFile, "read" | "close"> | number,
    offset: number,
    limit = room,
  ): number {
    if (typeof file === "number") return file;
    try {
      return this.#copyOut(Math.min(room, limit), (into, at) => file.read(into, offset + at));
    } finally {
      file.close();
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

/** What a call writes: its second input buffer. */
function inputOf(request: GuestRequest): ValueSource {
  const byteLength = request.inputByteLengths[1] ?? 0;
  return { byteLength, read: (into, offset) => request.readInput(1, into, offset) };
}

/** Handlers by ABI function name. */
const HANDLERS: Readonly<Record<string, Handler>> = Object.freeze({
  storage_size: (calls, request) => calls.storageSize(request),
  storage_read: (calls, request) => calls.storageRead(request),
  storage_write: (calls, request) => calls.storageWrite(request),
  storage_write_at: (calls, request) => calls.storageWriteAt(request),
  storage_list: (calls, request) => calls.storageList(request),
  storage_delete: (calls, request) => calls.storageDelete(request),
  card_size: (calls, request) => calls.cardSize(request),
  card_read: (calls, request) => calls.cardRead(request),
  card_write: (calls, request) => calls.cardWrite(request),
  card_delete: (calls, request) => calls.cardDelete(request),
  card_list: (calls, request) => calls.cardList(request),
  net_connect: (calls, request) => calls.netConnect(request),
  net_send: (calls, request) => calls.netSend(request),
  net_receive: (calls, request) => calls.netReceive(request),
  net_close: (calls, request) => calls.netClose(request),
  http_request: (calls, request) => calls.httpRequest(request),
  http_status: (calls, request) => calls.httpStatus(request),
  http_field: (calls, request) => calls.httpField(request),
  http_read: (calls, request) => calls.httpRead(request),
  http_close: (calls, request) => calls.httpClose(request),
  clock_ms: (calls) => calls.clockMs(),
  clock_offset: (calls) => calls.clockOffset(),
  ble_advertise: (calls, request) => calls.bleAdvertise(request),
  ble_stop: (calls) => calls.bleStop(),
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
