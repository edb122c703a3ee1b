/**
 * Answers the calls of the home screen: requests of the management API, with the rights of whoever holds the console
 * (docs/spec/home.md#requests). One request at a time; its answer is read in pieces.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Guest, GuestRequest } from "../../ports/guest.js";
import { abandonAnswer } from "../api/dispatcher.js";
import type { Answer, Api, ByteStream, Request } from "../api/request.js";
import { BUSY, INVALID, NOT_SUPPORTED } from "../apps/abi-results.js";
import { parseTarget } from "../http/request-head.js";
import type { HomeChanges } from "./home-changes.js";

/** Longest request in bytes, as long as a line over USB. */
const REQUEST_LIMIT_BYTES = 1024;

interface HomeRequestsOptions {
  readonly guest: Guest;
  readonly api: Api;
  readonly changes: HomeChanges;
}

export class HomeRequests {
  readonly #options: HomeRequestsOptions;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #body: ByteStream = EMPTY;
  /** What of the latest piece was not read. */
  #rest: Uint8Array = NOTHING;
  #isClosed = false;

  constructor(options: HomeRequestsOptions) {
    this.#options = options;
  }

  /** Answers the pending call. */
  answerCall(): void {
    const call = this.#options.guest.request;
    if (!call || this.#isClosed) return;
    if (call.function === "console_request") this.#request(call);
    else this.#answer(this.#resultOf(call));
  }

  #resultOf({ function: name, room }: GuestRequest): number {
    if (name === "console_read") return this.#read(room);
    return name === "console_changes" ? this.#options.changes.take() : NOT_SUPPORTED;
  }

  /** Releases the answer that is being read. */
  close(): void {
    this.#isClosed = true;
    this.#forget();
  }

  #request(call: GuestRequest): void {
    const request = this.#parse(call);
    this.#forget();
    if (request) this.#perform(request);
    else this.#answer(INVALID);
  }

  /** @returns `undefined` for what is no request */
  #parse(call: GuestRequest): Request | undefined {
    const byteLength = call.inputByteLengths[0] ?? 0;
    if (byteLength > REQUEST_LIMIT_BYTES) return undefined;
    const bytes = new Uint8Array(byteLength);
    call.readInput(0, bytes, 0);
    try {
      const [method = "", target = "", ...others] = this.#decoder.decode(bytes).split(" ", 3);
      if (!target.startsWith("/") || others.length > 0) return undefined;
      return { transport: "home", isOwner: true, method, bodyByteLength: 0, ...parseTarget(target) };
    } catch {
      return undefined; // not UTF-8, or badly encoded
    }
  }

  #perform(request: Request): void {
    const { api } = this.#options;
    try {
      const answer = api.open(request).end();
      if (answer instanceof Promise)
        answer.catch((error: unknown) => api.answerTo(error)).then((later) => this.#deliver(later));
      else this.#deliver(answer);
    } catch (error) {
      this.#deliver(api.answerTo(error));
    }
  }

  #deliver(answer: Answer): void {
    if (this.#isClosed) {
      abandonAnswer(answer);
      return;
    }
    this.#body = "stream" in answer ? answer.stream : once(bytesOf(answer));
    this.#answer(answer.status);
    answer.onSent?.();
  }

  #read(room: number): number {
    try {
      if (this.#rest.length === 0) this.#rest = this.#body.next() ?? NOTHING;
    } catch (error) {
      this.#forget();
      return error instanceof Fault ? BUSY : INVALID;
    }
    const piece = this.#rest.subarray(0, room);
    if (piece.length > 0) this.#options.guest.writeAnswer(piece, 0);
    this.#rest = this.#rest.subarray(piece.length);
    return piece.length;
  }

  #forget(): void {
    this.#body.close();
    this.#body = EMPTY;
    this.#rest = NOTHING;
  }

  #answer(result: number): void {
    const { guest } = this.#options;
    if (!this.#isClosed && guest.request !== undefined) guest.answer(result);
  }
}

const NOTHING = new Uint8Array();

const EMPTY: ByteStream = Object.freeze({
  next: () => undefined,
  close() {
    // There is nothing to release.
  },
});

function bytesOf(answer: Exclude<Answer, { readonly stream: ByteStream }>): Uint8Array {
  return "bytes" in answer ? answer.bytes : new TextEncoder().encode(JSON.stringify(answer.body));
}

function once(bytes: Uint8Array): ByteStream {
  let left: Uint8Array | undefined = bytes;
  return {
    next() {
      const piece = left;
      left = undefined;
      return piece;
    },
    close() {
      left = undefined;
    },
  };
}
