/**
 * One client connection: passes bytes from its socket through the parsers to exchanges, and their answers back, in
 * order. The phases and their time limits come first.
 */

import { Fault } from "../../../protocol/fault.js";
import { type BodyFraming, type BodyReader, bodyReader } from "../../../protocol/http/body-reader.js";
import { Inbox, Outbox } from "../../../protocol/http/buffers.js";
import { type Encoder, HEAD_START_BYTES } from "../../../protocol/http/fields.js";
import { HeadReader } from "../../../protocol/http/head-reader.js";
import type { Tcp, TcpSocket } from "../../../protocol/ports/network.js";
import type { Clock, Memory, Timer } from "../../../protocol/ports/runtime.js";
import { abandonAnswer } from "../api/dispatcher.js";
import {
  LEAST_RECEIVED_BYTES_PER_S,
  LEAST_SENT_BYTES_PER_S,
  MinimumRate,
  USUAL_BYTES_PER_S,
} from "../api/pacer.js";
import type { Answer, Api, Exchange, StreamedAnswer } from "../api/request.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { Logger } from "../logs/log-line.js";
import { BodyDispatch, isDiscardable, unwantedBody } from "./body-dispatch.js";
import type { Guard, Opening } from "./request-guard.js";
import type { HeadParser, RequestHead } from "./request-head.js";
import { type AnswerEncoder, answerOptions, asLast, StreamedBody, UNASKED } from "./response.js";
import { type AdmittedConnection, SILENT_AFTER_MS } from "./room.js";

/** Time for a head, from accepting the connection or from the head's first byte (docs/spec/http.md#head-timeout). */
export const HEAD_TIMEOUT_MS = 10_000;

/** Longest silence within a body; its minimum rate is in `api/pacer.ts` (docs/spec/http.md#body-silence). */
const BODY_TIMEOUT_MS = 30_000;

/** Longest silence between requests (docs/spec/http.md#keep-alive). */
const KEEP_ALIVE_TIMEOUT_MS = 60_000;

/** Longest time in which a client reads nothing of its answer; its minimum rate is in `api/pacer.ts`. */
const SEND_TIMEOUT_MS = 30_000;

// The life of a connection:
//
//   accept --> head --complete--> body --complete--> answering --answer--> sending --+--> closed
//                ^                  |  (rejected: straight to sending)          |     isLast
//                |first byte        +-- no body: straight to answering ------> |
//             waiting <------------------------------------- all sent ---------+
//
// The next request waits until the current one is answered: `readsBytes` is false from answering to sending, and bytes
// that arrive meanwhile stay in the socket, where they slow the client down.

type Phase =
  | { readonly phase: "head" }
  | BodyPhase
  | { readonly phase: "answering" }
  | SendingPhase
  | { readonly phase: "waiting" }
  | { readonly phase: "closed" };

interface BodyPhase {
  readonly phase: "body";
  readonly body: BodyReader;
  readonly delivery: BodyDispatch;
}

interface SendingPhase {
  readonly phase: "sending";
  /** The rest of the body, unless it is in the outbox already. */
  readonly body: StreamedBody | undefined;
  readonly onSent: (() => void) | undefined;
}

const HEAD: Phase = Object.freeze({ phase: "head" });
const ANSWERING: Phase = Object.freeze({ phase: "answering" });
const WAITING: Phase = Object.freeze({ phase: "waiting" });
const CLOSED: Phase = Object.freeze({ phase: "closed" });

function readsBytes({ phase }: Phase): boolean {
  return phase === "head" || phase === "body" || phase === "waiting";
}

/** Longest duration of a phase: of a head as a whole, of a body and an answer without progress. */
function timeoutMs({ phase }: Phase): number {
  switch (phase) {
    case "head":
      return HEAD_TIMEOUT_MS;
    case "body":
      return BODY_TIMEOUT_MS;
    case "sending":
      return SEND_TIMEOUT_MS;
    case "waiting":
      return KEEP_ALIVE_TIMEOUT_MS;
    case "answering": // limited by the endpoint
    case "closed":
      return Number.POSITIVE_INFINITY;
    default:
      return phase satisfies never;
  }
}

// State that the connections of a server share, to save memory.

export interface Shared {
  readonly tcp: Tcp;
  readonly api: Pick<Api, "answerTo">;
  readonly guard: Guard;
  readonly answers: AnswerEncoder;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly encoder: Encoder;
  readonly log: Logger;
  readonly heads: HeadParser;
  /** Admits long heads; `undefined`: memory is unlimited. */
  readonly heap: HeapAdmission | undefined;
  /** Buffers for long heads. */
  readonly memory: Memory | undefined;
  /** Shared input buffer of the sockets. */
  readonly input: Uint8Array;
  /** The complete interim response 100. */
  readonly continueBytes: Uint8Array;
  onClosed(connection: Connection): void;
}

export class Connection implements AdmittedConnection {
  /** Read once, since each access queries the network. */
  readonly address: string | undefined;
  readonly #shared: Shared;
  readonly #socket: TcpSocket;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #reader: HeadReader;
  /** Rate of a head, a body, or a buffered answer. */
  readonly #rate = new MinimumRate();
  #phase: Phase = HEAD;
  #answerOptions = UNASKED;
  #deadlineMs: number;
  #hasPeerClosed = false;

  /** @param from an accepted connection, owned by this object from now on */
  constructor(shared: Shared, from: TcpSocket) {
    this.#shared = shared;
    this.#reader = new HeadReader(shared.memory);
    const nowMs = shared.clock.uptimeMs();
    this.#rate.start(nowMs);
    this.#deadlineMs = nowMs + timeoutMs(this.#phase);
    this.#socket = new shared.tcp.Socket({
      from,
      nodelay: true,
      onReadable: (byteLength) => this.#onReadable(byteLength),
      onWritable: (byteLength) => this.#onWritable(byteLength),
      onError: () => this.#onPeerClosed(),
    });
    this.address = this.#socket.remoteAddress;
    this.#inbox = new Inbox(this.#socket, shared.input);
    this.#outbox = new Outbox(this.#socket);
  }

  /** Sends `fault` to a client that has not sent a request yet, and closes. */
  reject(fault: Fault): void {
    this.#refuse(fault);
  }

  /** Start of the wait for a request. */
  get idleSinceMs(): number | undefined {
    if (this.#phase === WAITING) return this.#deadlineMs - KEEP_ALIVE_TIMEOUT_MS;
    if (this.#phase !== HEAD || !this.#reader.isEmpty) return undefined;
    const sinceMs = this.#deadlineMs - HEAD_TIMEOUT_MS;
    return this.#shared.clock.uptimeMs() - sinceMs < SILENT_AFTER_MS ? undefined : sinceMs;
  }

  /** Whether the client is slower than nearly every network. */
  get isSlow(): boolean {
    const nowMs = this.#shared.clock.uptimeMs();
    const { phase } = this.#phase;
    const isClientsTurn =
      phase === "body" ||
      (phase === "head" && !this.#reader.isEmpty) ||
      (phase === "sending" && !this.#outbox.isEmpty);
    return isClientsTurn && this.#rate.isBelow(nowMs, USUAL_BYTES_PER_S);
  }

  /**
   * Ends a phase that lasts too long or whose client is too slow.
   * @param pausedMs time since the last call in which the console has served no connection
   */
  checkDeadline(nowMs: number, pausedMs: number): void {
    if (pausedMs > 0) this.#rate.pause(pausedMs);
    if (nowMs < this.#deadlineMs && !this.#isTooSlow(nowMs)) return;
    const { phase } = this.#phase;
    // RFC 9110 §15.5.9: a client that has started a request gets an answer.
    if (phase === "body" || (phase === "head" && !this.#reader.isEmpty)) this.#refuse(this.#timeout());
    else this.close();
  }

  #isTooSlow(nowMs: number): boolean {
    const { phase } = this.#phase;
    if (phase === "body") return this.#rate.isTooLow(nowMs, LEAST_RECEIVED_BYTES_PER_S);
    if (phase !== "sending") return false;
    if (this.#outbox.isEmpty) this.#rate.start(nowMs); // the console still produces the rest
    return this.#rate.isTooLow(nowMs, LEAST_SENT_BYTES_PER_S);
  }

  /** The failure of the request if known, else a time-out. */
  #timeout(): unknown {
    const failure = this.#phase.phase === "body" ? this.#phase.delivery.failure : undefined;
    return failure ?? new Fault("request_timeout", "The request did not arrive in time");
  }

  close(): void {
    const phase = this.#phase;
    if (phase === CLOSED) return;
    this.#phase = CLOSED;
    if (phase.phase === "body") phase.delivery.fail(undefined);
    this.#reader.reset();
    this.#socket.close();
    this.#shared.onClosed(this);
    if (phase.phase !== "sending") return;
    phase.body?.close();
    // An answer that cannot be delivered counts as sent: its announced action (a reboot) still happens.
    phase.onSent?.();
  }

  #onReadable(byteLength: number): void {
    this.#inbox.onReadable(byteLength);
    this.#readAll();
  }

  #onPeerClosed(): void {
    this.#hasPeerClosed = true;
    this.#readAll();
  }

  #onWritable(byteLength: number): void {
    try {
      this.#rate.add(this.#outbox.onWritable(byteLength));
    } catch {
      this.close(); // the socket is broken
    }
    if (this.#phase.phase !== "sending") return;
    this.#continueSending();
    this.#readAll();
  }

  /** Reads bytes while the phase accepts them. */
  #readAll(): void {
    while (readsBytes(this.#phase)) {
      const bytes = this.#inbox.next();
      if (!bytes) break;
      const taken = this.#consume(bytes);
      if (taken < bytes.length) this.#inbox.giveBack(bytes.subarray(taken));
    }
    this.#inbox.settle();
    if (this.#hasPeerClosed && readsBytes(this.#phase)) this.close();
  }

  #consume(bytes: Uint8Array): number {
    try {
      return this.#phase.phase === "body" ? this.#consumeBody(this.#phase, bytes) : this.#consumeHead(bytes);
    } catch (error) {
      // Only parsers throw this far: the end of the request is unknown.
      this.#refuse(error);
      return bytes.length;
    }
  }

  #consumeHead(bytes: Uint8Array): number {
    const taken = this.#reader.isEmpty ? this.#consumeWhole(bytes) : 0;
    return taken > 0 ? taken : this.#collectHead(bytes);
  }

  /**
   * Most heads are short and arrive whole: they need no reader.
   * @returns how many bytes were consumed; 0 for a head that is incomplete, long or split wrongly
   */
  #consumeWhole(bytes: Uint8Array): number {
    const { heads } = this.#shared;
    const isShort = bytes.length <= HEAD_START_BYTES;
    const head = heads.parse(isShort ? bytes : bytes.subarray(0, HEAD_START_BYTES));
    if (!head) return 0;
    const { takenBytes } = heads;
    this.#phase = ANSWERING; // no longer idle: a shortage of memory closes idle connections
    this.#begin(head);
    return takenBytes;
  }

  #collectHead(bytes: Uint8Array): number {
    const taken = this.#reader.push(bytes);
    const { head } = this.#reader;
    if (head) {
      this.#phase = ANSWERING;
      if (head.length > HEAD_START_BYTES) this.#shared.heap?.require(head.length * HEAP_NEEDS.longHeadByte);
      const parsed = this.#shared.heads.parseWhole(head);
      this.#reader.reset();
      this.#begin(parsed);
    } else if (this.#phase === WAITING) this.#enter(HEAD);
    return taken;
  }

  #begin(head: RequestHead): void {
    const opening = this.#shared.guard.open(head, this.address);
    this.#answerOptions = answerOptions(head, opening.fieldLines);
    if (head.framing.kind === "none") this.#finish(opening.exchange, opening.failure);
    else this.#beginBody(head, head.framing, opening);
  }

  /**
   * A request that is rejected before its body is answered immediately if the client waits for "100 Continue" (RFC 9110
   * §10.1.1) or the body is long. The client may still send the body, so the connection ends.
   */
  #beginBody(head: RequestHead, framing: BodyFraming, { exchange, failure }: Opening): void {
    const awaitsContinue = head.version === "1.1" && head.fields.hasToken("expect", "100-continue");
    const isShort = isDiscardable(framing.kind === "length" ? framing.byteLength : undefined);
    const delivery = new BodyDispatch(exchange, failure);
    if (exchange?.ignoresBody && !isShort) delivery.fail(unwantedBody());
    if (!delivery.exchange && (awaitsContinue || !isShort)) this.#failLast(delivery.failure);
    else {
      this.#enter({ phase: "body", body: bodyReader(framing), delivery });
      if (awaitsContinue) this.#outbox.send(this.#shared.continueBytes);
    }
  }

  #consumeBody({ body, delivery }: BodyPhase, bytes: Uint8Array): number {
    const taken = body.push(bytes, delivery);
    this.#rate.add(taken);
    if (body.isComplete) this.#finish(delivery.exchange, delivery.failure);
    else if (delivery.isOverLimit) this.#failLast(delivery.failure);
    else this.#rearm();
    return taken;
  }

  /** The request is complete. */
  #finish(exchange: Exchange | undefined, failure: unknown): void {
    const { api } = this.#shared;
    const answer = exchange ? this.#end(exchange) : api.answerTo(failure);
    if (!(answer instanceof Promise)) this.#answer(answer);
    else {
      this.#enter(ANSWERING);
      answer.then(
        (result) => this.#answerLater(result),
        (error) => this.#answerLater(api.answerTo(error)),
      );
    }
  }

  #end(exchange: Exchange): Answer | Promise<Answer> {
    try {
      return exchange.end();
    } catch (error) {
      return this.#shared.api.answerTo(error);
    }
  }

  #answerLater(answer: Answer): void {
    if (this.#phase === ANSWERING) {
      this.#answer(answer);
      this.#readAll();
    } else abandonAnswer(answer); // counts as sent, see close()
  }

  /** Answers in the middle of a request and ends the connection. */
  #failLast(failure: unknown): void {
    this.#answerOptions = asLast(this.#answerOptions);
    this.#answer(this.#shared.api.answerTo(failure));
  }

  /** Answers an invalid or incomplete request. */
  #refuse(failure: unknown): void {
    if (this.#phase.phase === "body") this.#phase.delivery.fail(failure);
    else this.#answerOptions = UNASKED;
    if (failure instanceof Fault) this.#shared.log.debug(`refused ${this.address}: ${failure.message}`);
    this.#failLast(failure);
  }

  #answer(answer: Answer): void {
    const body = "stream" in answer ? this.#streamedBody(answer) : undefined;
    // RFC 9112 §9.6: announces the end of the connection, so that the client sends no other request.
    if ("isFinal" in answer && answer.isFinal) this.#answerOptions = asLast(this.#answerOptions);
    this.#phase = { phase: "sending", body, onSent: answer.onSent };
    try {
      this.#shared.answers.encode(answer, this.#answerOptions, this.#outbox);
    } catch {
      this.close(); // the socket accepts nothing more
    }
    this.#continueSending();
    if (this.#phase.phase === "sending") this.#rate.start(this.#shared.clock.uptimeMs());
  }

  /** Without chunks, a body of unknown length ends with the connection. */
  #streamedBody({ stream, byteLength }: StreamedAnswer): StreamedBody | undefined {
    const { timer, clock, encoder, api } = this.#shared;
    const { omitsBody, takesChunks } = this.#answerOptions;
    const isChunked = takesChunks && byteLength === undefined;
    if (!isChunked && byteLength === undefined) this.#answerOptions = asLast(this.#answerOptions);
    if (omitsBody) stream.close();
    else
      return new StreamedBody(stream, {
        ...{ timer, clock, encoder, isChunked, outbox: this.#outbox },
        onResume: () => {
          this.#continueSending();
          this.#readAll();
        },
        onFailure: (error) => {
          api.answerTo(error); // logs it; the client notices the missing end
          this.close();
        },
      });
    return undefined;
  }

  /** Sends as much of the answer as the socket accepts. */
  #continueSending(): void {
    const phase = this.#phase;
    if (phase.phase !== "sending") return;
    try {
      phase.body?.advance();
    } catch {
      this.close(); // the socket accepts nothing more
    }
    if (this.#phase !== phase) return;
    if (this.#outbox.isEmpty && (!phase.body || phase.body.isComplete)) this.#onSent(phase.onSent);
    else this.#rearm();
  }

  #onSent(onSent: (() => void) | undefined): void {
    const { isLast } = this.#answerOptions;
    this.#enter(WAITING);
    if (isLast) this.close();
    onSent?.();
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#rate.start(this.#rearm());
  }

  /** @returns the current time */
  #rearm(): number {
    const nowMs = this.#shared.clock.uptimeMs();
    this.#deadlineMs = nowMs + timeoutMs(this.#phase);
    return nowMs;
  }
}
