/**
 * The core of every HTTP server here: one client's conversation over HTTP/1.1, without a socket. Bytes of the client go
 * in; each request goes to a guard and its body to an exchange, and the bytes to send back go to an output. The
 * management API, the log's WebSocket and the set-up page are three guards over it. The phases come first: each names
 * what it waits for, so that an event of the socket never meets a phase that does not know what it means.
 */

import { Fault } from "../../../protocol/fault.js";
import { type BodyFraming, bodyReader } from "../../../protocol/http/body-reader.js";
import { HEAD_START_BYTES } from "../../../protocol/http/fields.js";
import { HeadReader } from "../../../protocol/http/head-reader.js";
import {
  LEAST_RECEIVED_BYTES_PER_S,
  LEAST_SENT_BYTES_PER_S,
  MinimumRate,
  USUAL_BYTES_PER_S,
} from "../../../protocol/minimum-rate.js";
import type { Clock, Memory, Timer } from "../../../protocol/ports/runtime.js";
import { abandonAnswer } from "../api/dispatcher.js";
import type { Answer, Api, Exchange, StreamedAnswer } from "../api/request.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { Logger } from "../logs/log-line.js";
import type { HttpCodec } from "./http-codec.js";
import { DISCARD_LIMIT_BYTES, ReceivingBody, unwantedBody } from "./receiving-body.js";
import type { RequestHead } from "./request-head.js";
import { answerOptions, asLast, CONTINUE, type Output, StreamedBody, UNASKED } from "./response.js";
import { type AdmittedConnection, SILENT_AFTER_MS } from "./room.js";

/** Time for a head, from accepting the connection or from the head's first byte (docs/spec/http.md#head-timeout). */
const HEAD_TIMEOUT_MS = 10_000;

/** Longest silence within a body; its minimum rate is in `protocol/minimum-rate.ts` (docs/spec/http.md#body-silence). */
const BODY_TIMEOUT_MS = 30_000;

/** Longest silence between requests (docs/spec/http.md#keep-alive). */
const KEEP_ALIVE_TIMEOUT_MS = 60_000;

/** Longest time in which a client reads nothing of its answer; its minimum rate is in `protocol/minimum-rate.ts`. */
const SEND_TIMEOUT_MS = 30_000;

// The life of a conversation:
//
//   accept --> head --complete--> body --complete--> answering --answer--> sending --+--> closed
//                ^ |                |  (rejected: straight to sending)          |     isLast
//                | `--> upgraded    +-- no body: straight to answering ------> |
//                |first byte                                                    |
//             waiting <------------------------------------- all sent ---------+
//
// The next request waits until the current one is answered: bytes that arrive from answering to sending stay with the
// connection, where they slow the client down.

type Phase =
  | { readonly phase: "head" }
  | ReceivingBody
  | { readonly phase: "answering"; readonly awaited?: AwaitedAnswer }
  | SendingPhase
  | { readonly phase: "waiting" }
  | { readonly phase: "upgraded"; readonly protocol: UpgradedProtocol }
  | { readonly phase: "closed" };

interface SendingPhase {
  readonly phase: "sending";
  /** The rest of the body, unless it is in the output already. */
  readonly body: StreamedBody | undefined;
  readonly onSent: (() => void) | undefined;
}

const HEAD: Phase = Object.freeze({ phase: "head" });
const ANSWERING: Phase = Object.freeze({ phase: "answering" });
const WAITING: Phase = Object.freeze({ phase: "waiting" });
const CLOSED: Phase = Object.freeze({ phase: "closed" });

/**
 * What each phase waits for, and the longest time: for a head as a whole, for a body and an answer without progress.
 * The client's end of its side ends what waits for its bytes; a broken connection ends every phase.
 */
const WAITS = Object.freeze({
  head: { for: "bytes", limitMs: HEAD_TIMEOUT_MS },
  body: { for: "bytes", limitMs: BODY_TIMEOUT_MS },
  answering: { for: "the endpoint", limitMs: Number.POSITIVE_INFINITY }, // the endpoint has its own limit
  sending: { for: "room", limitMs: SEND_TIMEOUT_MS }, // or for the next part of a stream, which takes a turn
  waiting: { for: "bytes", limitMs: KEEP_ALIVE_TIMEOUT_MS },
  upgraded: { for: "the protocol", limitMs: Number.POSITIVE_INFINITY }, // it says itself, and has its own limits
  closed: { for: "nothing", limitMs: Number.POSITIVE_INFINITY },
}) satisfies Readonly<Record<Phase["phase"], { readonly for: string; readonly limitMs: number }>>;

// What a server is made of: a guard decides from its head what becomes of a request.

export interface Guard {
  /** @param address of the client */
  open(head: RequestHead, address: string | undefined): Opening;
}

/** An upgrade, an exchange, or the failure to answer with; and field lines for the answer. */
export interface Opening {
  readonly exchange: Exchange | undefined;
  readonly failure?: unknown;
  readonly fieldLines: string;
  /** Whether the answer ends the connection, and a body of a failed request stays unread. */
  readonly isLast?: boolean;
  readonly upgrade?: Upgrade;
}

/** Leaves HTTP for another protocol (RFC 9110 §7.8). */
export interface Upgrade {
  /** The complete response 101. */
  readonly answer: Uint8Array;
  begin(carrier: Carrier): UpgradedProtocol;
}

/** What an upgraded protocol can do with its connection. */
export interface Carrier {
  readonly address: string | undefined;
  readonly output: Output;
  /** Bytes already sent still go out. */
  close(): void;
}

export interface UpgradedProtocol {
  /** Whether it waits for bytes, so that the client's end of its side ends the connection. */
  readonly takesBytes: boolean;
  /** @returns how many bytes were taken */
  receive(bytes: Uint8Array): number;
  /** The output may have become empty. Also called once at the beginning. */
  onRoom(): void;
  /** The console ends the connection: the last thing to send. */
  sayGoodbye(): void;
  /** The connection has ended. Called once. */
  onClosed(): void;
}

/** What a conversation needs of its connection. */
export interface Line {
  readonly address: string | undefined;
  readonly output: Output;
  /** The conversation takes bytes again: passes those that have waited. */
  resume(): void;
  /** The conversation has ended: closes the socket. Called once. */
  end(): void;
}

/** What the conversations of a server share, to save memory. */
export interface Shared {
  readonly api: Pick<Api, "answerTo">;
  readonly guard: Guard;
  readonly codec: HttpCodec;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Logger;
  /** Admits long heads; `undefined`: memory is unlimited. */
  readonly heap: HeapAdmission | undefined;
  /** Buffers for long heads. */
  readonly memory: Memory | undefined;
  onClosed(conversation: Conversation): void;
}

export class Conversation implements AdmittedConnection, Carrier {
  readonly address: string | undefined;
  readonly output: Output;
  readonly #shared: Shared;
  readonly #line: Line;
  readonly #reader: HeadReader;
  /** Rate of a head, a body, or a buffered answer. */
  readonly #rate = new MinimumRate();
  #phase: Phase = HEAD;
  #answerOptions = UNASKED;
  #deadlineMs: number;

  constructor(shared: Shared, line: Line) {
    this.#shared = shared;
    this.#line = line;
    this.address = line.address;
    this.output = line.output;
    this.#reader = new HeadReader(shared.memory);
    const nowMs = shared.clock.uptimeMs();
    this.#rate.start(nowMs);
    this.#deadlineMs = nowMs + HEAD_TIMEOUT_MS;
  }

  /** Whether it waits for bytes: the client's end of its side ends it then. */
  get takesBytes(): boolean {
    const phase = this.#phase;
    return phase.phase === "upgraded" ? phase.protocol.takesBytes : WAITS[phase.phase].for === "bytes";
  }

  get isUpgraded(): boolean {
    return this.#phase.phase === "upgraded";
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
    const isClientsTurn = this.#isWithinRequest || (phase === "sending" && !this.output.isEmpty);
    return isClientsTurn && this.#rate.isBelow(nowMs, USUAL_BYTES_PER_S);
  }

  get #isWithinRequest(): boolean {
    const { phase } = this.#phase;
    return phase === "body" || (phase === "head" && !this.#reader.isEmpty);
  }

  /**
   * Takes bytes of the client while it waits for bytes.
   * @returns how many were taken; the rest is for later
   */
  receive(bytes: Uint8Array): number {
    let taken = 0;
    while (taken < bytes.length && this.takesBytes)
      taken += this.#consume(taken === 0 ? bytes : bytes.subarray(taken));
    return taken;
  }

  /** @param takenBytes bytes that the network has accepted since the last call */
  onRoom(takenBytes: number): void {
    this.#rate.add(takenBytes);
    const phase = this.#phase;
    if (phase.phase === "upgraded") phase.protocol.onRoom();
    else if (phase.phase === "sending") this.#resumeSending();
  }

  /**
   * Ends a phase that lasts too long or whose client is too slow.
   * @param pausedMs time since the last call in which the console has served no connection
   */
  checkDeadline(nowMs: number, pausedMs: number): void {
    if (pausedMs > 0) this.#rate.pause(pausedMs);
    if (nowMs < this.#deadlineMs && !this.#isTooSlow(nowMs)) return;
    // RFC 9110 §15.5.9: a client that has started a request gets an answer.
    if (this.#isWithinRequest) this.refuse(this.#timeout());
    else this.close();
  }

  #isTooSlow(nowMs: number): boolean {
    const { phase } = this.#phase;
    if (phase === "body") return this.#rate.isTooLow(nowMs, LEAST_RECEIVED_BYTES_PER_S);
    if (phase !== "sending") return false;
    if (this.output.isEmpty) this.#rate.start(nowMs); // the console still produces the rest
    return this.#rate.isTooLow(nowMs, LEAST_SENT_BYTES_PER_S);
  }

  /** The failure of the request if known, else a time-out. */
  #timeout(): unknown {
    const failure = this.#phase.phase === "body" ? this.#phase.failure : undefined;
    return failure ?? new Fault("request_timeout", "The request did not arrive in time");
  }

  /** The console ends the conversation; an upgraded one takes its leave first. */
  endByConsole(): void {
    if (this.#phase.phase === "upgraded") this.#phase.protocol.sayGoodbye();
    this.close();
  }

  /** Ends the conversation in any phase; also to be called when the connection is broken. May be called twice. */
  close(): void {
    const phase = this.#phase;
    if (phase === CLOSED) return;
    this.#phase = CLOSED;
    if (phase.phase === "body") phase.fail(undefined);
    if (phase.phase === "answering") phase.awaited?.abandon();
    this.#reader.reset();
    this.#line.end();
    this.#shared.onClosed(this);
    if (phase.phase === "upgraded") phase.protocol.onClosed();
    if (phase.phase !== "sending") return;
    phase.body?.close();
    // An answer that cannot be delivered counts as sent: its announced action (a reboot) still happens.
    phase.onSent?.();
  }

  #consume(bytes: Uint8Array): number {
    const phase = this.#phase;
    if (phase.phase === "upgraded") return phase.protocol.receive(bytes);
    try {
      return phase.phase === "body" ? this.#consumeBody(phase, bytes) : this.#consumeHead(bytes);
    } catch (error) {
      // Only parsers throw this far: the end of the request is unknown.
      this.refuse(error);
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
    const { heads } = this.#shared.codec;
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
      const parsed = this.#shared.codec.heads.parseWhole(head);
      this.#reader.reset();
      this.#begin(parsed);
    } else if (this.#phase === WAITING) this.#enter(HEAD);
    return taken;
  }

  #begin(head: RequestHead): void {
    const opening = this.#shared.guard.open(head, this.address);
    this.#answerOptions = answerOptions(head, opening.fieldLines);
    if (opening.isLast) this.#answerOptions = asLast(this.#answerOptions);
    if (opening.upgrade) this.#upgrade(opening.upgrade);
    else if (head.framing.kind === "none") this.#finish(opening.exchange, opening.failure);
    else this.#beginBody(head, head.framing, opening);
  }

  #upgrade(upgrade: Upgrade): void {
    try {
      this.output.send(upgrade.answer);
    } catch {
      this.close(); // the socket accepts nothing more
      return;
    }
    const protocol = upgrade.begin(this);
    this.#enter({ phase: "upgraded", protocol });
    protocol.onRoom();
  }

  /**
   * A request that is rejected before its body is answered immediately if the client waits for "100 Continue" (RFC 9110
   * §10.1.1) or the body is long. The client may still send the body, so the connection ends.
   */
  #beginBody(head: RequestHead, framing: BodyFraming, { exchange, failure, isLast }: Opening): void {
    const awaitsContinue = head.version === "1.1" && head.fields.hasToken("expect", "100-continue");
    const isShort = framing.kind !== "length" || framing.byteLength <= DISCARD_LIMIT_BYTES;
    const body = new ReceivingBody(bodyReader(framing), exchange, failure);
    if (exchange?.ignoresBody && !isShort) body.fail(unwantedBody());
    if (!body.exchange && (awaitsContinue || !isShort || isLast)) this.#failLast(body.failure);
    else {
      this.#enter(body);
      if (exchange && !exchange.ignoresBody) exchange.onFailure = (failure) => this.refuse(failure);
      if (awaitsContinue) this.output.send(this.#shared.codec.encoder.encode(CONTINUE));
    }
  }

  #consumeBody(body: ReceivingBody, bytes: Uint8Array): number {
    const taken = body.push(bytes);
    this.#rate.add(taken);
    if (body.isComplete) this.#finish(body.exchange, body.failure);
    else if (body.isOverLimit) this.#failLast(body.failure);
    else this.#rearm();
    return taken;
  }

  /** The request is complete. */
  #finish(exchange: Exchange | undefined, failure: unknown): void {
    const { api } = this.#shared;
    const answer = exchange ? this.#end(exchange) : api.answerTo(failure);
    if (!(answer instanceof Promise)) this.#answer(answer);
    else {
      const awaited = new AwaitedAnswer(answer, api, (result) => {
        this.#answer(result);
        this.#line.resume();
      });
      this.#enter({ phase: "answering", awaited });
    }
  }

  #end(exchange: Exchange): Answer | Promise<Answer> {
    try {
      return exchange.end();
    } catch (error) {
      return this.#shared.api.answerTo(error);
    }
  }

  /** Answers in the middle of a request and ends the connection. */
  #failLast(failure: unknown): void {
    this.#answerOptions = asLast(this.#answerOptions);
    this.#answer(this.#shared.api.answerTo(failure));
  }

  /** Answers an invalid, incomplete or unread request, and ends the connection. */
  refuse(failure: unknown): void {
    if (this.#phase.phase === "body") this.#phase.fail(failure);
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
      this.#shared.codec.answers.encode(answer, this.#answerOptions, this.output);
    } catch {
      this.close(); // the socket accepts nothing more
    }
    this.#continueSending();
    if (this.#phase.phase === "sending") this.#rate.start(this.#shared.clock.uptimeMs());
  }

  /** Without chunks, a body of unknown length ends with the connection. */
  #streamedBody({ stream, byteLength }: StreamedAnswer): StreamedBody | undefined {
    const { timer, clock, codec, api } = this.#shared;
    const { encoder } = codec;
    const { omitsBody, takesChunks } = this.#answerOptions;
    const isChunked = takesChunks && byteLength === undefined;
    if (!isChunked && byteLength === undefined) this.#answerOptions = asLast(this.#answerOptions);
    if (omitsBody) stream.close();
    else
      return new StreamedBody(stream, {
        timer,
        clock,
        encoder,
        isChunked,
        output: this.output,
        onResume: () => this.#resumeSending(),
        onFailure: (error) => {
          api.answerTo(error); // logs it; the client notices the missing end
          this.close();
        },
      });
    return undefined;
  }

  #resumeSending(): void {
    this.#continueSending();
    this.#line.resume();
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
    if (this.output.isEmpty && (!phase.body || phase.body.isComplete)) this.#onSent(phase.onSent);
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
    this.#deadlineMs = nowMs + WAITS[this.#phase.phase].limitMs;
    return nowMs;
  }
}

/**
 * An answer that an endpoint still works on. A conversation that ends meanwhile abandons it, so that no more than the
 * endpoint's own work keeps memory until the endpoint is done.
 */
class AwaitedAnswer {
  #take: ((answer: Answer) => void) | undefined;

  /** @param take called with the answer, unless it is abandoned before */
  constructor(answer: Promise<Answer>, api: Pick<Api, "answerTo">, take: (answer: Answer) => void) {
    this.#take = take;
    answer.then(
      (result) => this.#arrived(result),
      (error) => this.#arrived(api.answerTo(error)),
    );
  }

  abandon(): void {
    this.#take = undefined;
  }

  #arrived(answer: Answer): void {
    if (this.#take) this.#take(answer);
    else abandonAnswer(answer); // counts as sent, see close()
  }
}
