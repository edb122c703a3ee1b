/**
 * The HTTP requests of one app (`http_…`, docs/spec/app-abi-and-quotas.md#http-request). Handles are those of its
 * connections; results are those of the ABI.
 *
 *   asked --head--> answering --all of the body--> ended
 *     |                |   ^
 *     |                v   |  paused while the app has not read what has arrived
 *     +--failed--------+---+-----------------------> ended
 */
import { type AnswerSink, HttpExchange, type HttpRequest } from "../../../hub-client/http-client.js";
import type { HubClientPorts } from "../../../hub-client/ports.js";
import type { Fault } from "../../../protocol/fault.js";
import type { Fields } from "../../../protocol/http/fields.js";
import type { Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { Lookups } from "../network/lookups.js";
import { BUSY, INVALID, IO_ERROR, NO_SPACE, NOT_FOUND, NOT_PERMITTED, NOT_SUPPORTED } from "./abi-results.js";

/**
 * Most requests of all apps at a time: each has the head and a piece of the body of its answer in the heap, and the owner's
 * requests need the rest.
 */
const REQUESTS_LIMIT = 2;

/** The requests that the console has under way, of all apps. */
export interface RequestCount {
  open: number;
}

export interface GuestRequestsOptions {
  readonly ports: HubClientPorts;
  /** Of all apps. */
  readonly lookups: Lookups;
  readonly timer: Timer;
  readonly requestCount: RequestCount;
  /** Called with the reason of a failure, which an app gets as a number. */
  onFailure(reason: string): void;
  /** Admits requests; left out: memory is unlimited. */
  readonly heap?: HeapAdmission | undefined;
}

export class GuestRequests {
  readonly #options: GuestRequestsOptions;
  readonly #requests = new Map<number, GuestRequest>();
  #lastHandle = 0;

  constructor(options: GuestRequestsOptions) {
    this.#options = options;
  }

  /** @returns a handle, or an error */
  open(request: HttpRequest): number {
    const { heap, ports, requestCount } = this.#options;
    if (request.to.isSecure && !ports.Tls) return NOT_SUPPORTED;
    if (requestCount.open >= REQUESTS_LIMIT) return NO_SPACE;
    try {
      heap?.promise(HEAP_NEEDS.appRequest); // its answer takes it later
    } catch {
      return BUSY;
    }
    requestCount.open++;
    const handle = ++this.#lastHandle;
    this.#requests.set(handle, new GuestRequest(this.#options, request));
    return handle;
  }

  /**
   * Waits for the answer's status: 100 to 599; -16 after the time-out, -1 at the console itself, -5 if none comes.
   * @returns the result, or `undefined` if `onStatus` will be called with it
   */
  status(handle: number, timeoutMs: number, onStatus: (status: number) => void): number | undefined {
    const request = this.#requests.get(handle);
    if (!request) return NOT_FOUND;
    return timeoutMs < 0 ? INVALID : request.status(timeoutMs, onStatus);
  }

  /** Value of a field of the answer, if that has come and has the field; `undefined` if it has it twice, too. */
  field(handle: number, name: string): string | undefined {
    return this.#requests.get(handle)?.field(name);
  }

  /**
   * The next bytes of the body, at most `byteLength`; 0 at its end, -16 after the time-out, or another error.
   * @returns the result, or `undefined` if `onRead` will be called with it
   */
  read(
    handle: number,
    byteLength: number,
    timeoutMs: number,
    onRead: (read: Uint8Array | number) => void,
  ): Uint8Array | number | undefined {
    const request = this.#requests.get(handle);
    if (!request) return NOT_FOUND;
    return timeoutMs < 0 ? INVALID : request.read(byteLength, timeoutMs, onRead);
  }

  closeOne(handle: number): number {
    this.#requests.get(handle)?.close();
    return this.#requests.delete(handle) ? 0 : NOT_FOUND;
  }

  /** Closes all of them. May be called twice. */
  close(): void {
    for (const handle of [...this.#requests.keys()]) this.closeOne(handle);
  }
}

const NOTHING = new Uint8Array(0);

/**
 * One request. An app makes one call at a time, so at most one wait is pending.
 */
class GuestRequest implements AnswerSink {
  readonly #options: GuestRequestsOptions;
  readonly #exchange: HttpExchange;
  #status: number | undefined;
  #fields: Fields | undefined;
  /** Has arrived and was not read yet: at most what the exchange reads at a time. */
  #body: Uint8Array = NOTHING;
  #hasEnded = false;
  /** Result of every further call, after a failure. */
  #failure: number | undefined;
  #onEvent: (() => void) | undefined;
  #timeout: TimerHandle | undefined;
  /** Ends its look-up. */
  #endLookup: (() => void) | undefined;

  constructor(options: GuestRequestsOptions, request: HttpRequest) {
    this.#options = options;
    const { lookups, ports } = options;
    const resolver: HubClientPorts["resolver"] = {
      resolve: (name, onResolved) => {
        this.#endLookup = lookups.resolve(name, onResolved);
      },
    };
    this.#exchange = new HttpExchange({ ...ports, resolver }, request, this);
  }

  status(timeoutMs: number, onStatus: (status: number) => void): number | undefined {
    return this.#when(() => this.#status ?? this.#failure, timeoutMs, onStatus);
  }

  field(name: string): string | undefined {
    try {
      return this.#fields?.single(name);
    } catch {
      return undefined; // occurs twice
    }
  }

  read(
    byteLength: number,
    timeoutMs: number,
    onRead: (read: Uint8Array | number) => void,
  ): Uint8Array | number | undefined {
    return this.#when<Uint8Array>(() => this.#take(byteLength), timeoutMs, onRead);
  }

  close(): void {
    this.#exchange.close();
    this.#options.timer.clear(this.#timeout);
    this.#onEvent = undefined;
    this.#endLookup?.();
    this.#options.requestCount.open--;
    this.#options.heap?.release(HEAP_NEEDS.appRequest);
  }

  onHead({ status, fields }: Parameters<AnswerSink["onHead"]>[0]): void {
    this.#status = status;
    this.#fields = fields;
    this.#onEvent?.();
  }

  onBytes(bytes: Uint8Array): void {
    const body = new Uint8Array(this.#body.length + bytes.length);
    body.set(this.#body);
    body.set(bytes, this.#body.length);
    this.#body = body;
    this.#exchange.pause();
    this.#onEvent?.();
  }

  onEnd(fault: Fault | undefined): void {
    this.#hasEnded = true;
    if (fault) {
      this.#failure = fault.code === "bad_parameter" ? NOT_PERMITTED : IO_ERROR;
      this.#options.onFailure(fault.message);
    }
    this.#onEvent?.();
  }

  /** `undefined` while there is nothing to tell. */
  #take(byteLength: number): Uint8Array | number | undefined {
    if (byteLength === 0) return 0;
    if (this.#body.length > 0) {
      const taken = this.#body.subarray(0, byteLength);
      this.#body = this.#body.subarray(taken.length);
      if (this.#body.length === 0 && !this.#hasEnded) this.#exchange.resume();
      return taken;
    }
    return this.#failure ?? (this.#hasEnded ? 0 : undefined);
  }

  /** Calls back with what `ask` gives, once that is something, or with -16 after the time-out. */
  #when<Result>(
    ask: () => Result | number | undefined,
    timeoutMs: number,
    onSettled: (result: Result | number) => void,
  ): Result | number | undefined {
    const now = ask();
    if (now !== undefined) return now;
    const settle = (result: Result | number) => {
      this.#onEvent = undefined;
      this.#options.timer.clear(this.#timeout);
      onSettled(result);
    };
    this.#onEvent = () => {
      const result = ask();
      if (result !== undefined) settle(result);
    };
    this.#timeout = this.#options.timer.set(() => settle(BUSY), timeoutMs);
    return undefined;
  }
}
