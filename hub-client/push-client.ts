/**
 * One connection of the push channel (docs/spec/hub-push.md#channel; RFC 6455): from the handshake to its end.
 *
 *   connecting --> handshake --101--> open --> closed
 *        |             | (refused)     |  Close frame, protocol error, time-out, network failure
 *        +-------------+---------------+
 */
import { Fault } from "../protocol/fault.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import type { DeviceMessage, HubMessage } from "../protocol/hub/push-messages.js";
import {
  CLOSE,
  CONTINUATION,
  FrameError,
  GOING_AWAY,
  PING,
  PONG,
  readCloseCode,
  TEXT,
} from "../protocol/websocket/frame-head.js";
import { type ControlFrame, FrameReader } from "../protocol/websocket/frame-reader.js";
import { AnswerHeadReader } from "./answer-head.js";
import { Connection, Patience, SILENCE_TIMEOUT_MS } from "./connection.js";
import { MessageCollector, MessageReader, maskedFrame } from "./message-reader.js";
import type { HubClientPorts } from "./ports.js";
import { PushHandshake } from "./push-handshake.js";

/** The hub pings every 30 s (docs/spec/hub-push.md#hub-ping); two missing pings and a half end the channel. */
export const PUSH_SILENCE_MS = 75_000;

/** Bytes read from the push channel at a time: it carries little, and its buffer is permanent. */
const PUSH_READ_BYTES = 512;

/** Most bytes that wait for a hub that does not read; further messages are not queued. */
const PUSH_WAITING_LIMIT_BYTES = 8192;

/**
 * Pings are not answered while more than this many bytes wait: a pong of six bytes takes twenty times as much heap
 * while it waits, and a hub that reads none can request thousands.
 */
const PONG_WAITING_LIMIT_BYTES = 256;

/** Why a connection ended or failed. */
export interface PushEnd {
  /** `hub_unreachable`, `hub_refused`, `unauthorized` …; with `retry_after_s` in its details if the hub sent it. */
  readonly fault: Fault;
  /** Code of the hub's Close frame, if one arrived. */
  readonly closeCode?: number;
}

export interface PushClientOptions {
  readonly ports: HubClientPorts;
  readonly address: HubAddress;
  readonly deviceToken: string;
  /** Whether the hub takes the token in `Authorization` (docs/spec/hub-push.md#channel-bearer); else it is in the path. */
  readonly sendsBearer?: boolean;
  onOpen(): void;
  onMessage(message: HubMessage): void;
  /** A message was dropped: it is invalid, or there is no memory for it (`busy`). */
  onMalformed?(fault: Fault): void;
  /** Called once, last, unless `close` was called before. */
  onClosed(end: PushEnd): void;
}

type Phase =
  | { readonly phase: "connecting" }
  | { readonly phase: "handshake"; readonly reader: AnswerHeadReader; readonly handshake: PushHandshake }
  | { readonly phase: "open"; readonly reader: FrameReader }
  | { readonly phase: "closed" };

const CONNECTING: Phase = Object.freeze({ phase: "connecting" });
const CLOSED: Phase = Object.freeze({ phase: "closed" });

const CODE_BYTES = 2;

export class PushClient {
  readonly #options: PushClientOptions;
  readonly #connection: Connection;
  readonly #messages = new MessageReader();
  readonly #encoder = new TextEncoder();
  #phase: Phase = CONNECTING;
  #patience: Patience | undefined;

  /** Starts immediately; no callback runs inside. */
  constructor(options: PushClientOptions) {
    this.#options = options;
    this.#connection = new Connection({
      ports: options.ports,
      to: options.address,
      readBytes: PUSH_READ_BYTES,
      onConnected: () => this.#sendHandshake(),
      onReadable: () => this.#readAll(),
      onEnded: (fault) => this.#end({ fault }),
    });
  }

  get isOpen(): boolean {
    return this.#phase.phase === "open";
  }

  /** @returns whether the message was queued: false if the channel is not open or its queue is full */
  send(message: DeviceMessage): boolean {
    if (!this.isOpen) return false;
    const payload = this.#encoder.encode(JSON.stringify(message));
    const { waitingBytes } = this.#connection;
    if (waitingBytes > 0 && waitingBytes + payload.length > PUSH_WAITING_LIMIT_BYTES) return false;
    this.#send(TEXT, payload);
    return true;
  }

  /**
   * Sends a message piece by piece, each piece as a fragment (RFC 6455 §5.4), so that it is never in memory as a whole.
   * @param nextPiece returns the next piece of the text; `undefined` after the last
   * @returns whether the message was queued: false if the channel is not open or still has bytes to send
   */
  sendPieces(nextPiece: () => string | undefined): boolean {
    if (!this.isOpen || this.#connection.waitingBytes > 0) return false;
    let opcode = TEXT;
    for (let piece = nextPiece(); piece !== undefined; piece = nextPiece()) {
      this.#send(opcode, this.#encoder.encode(piece), false);
      opcode = CONTINUATION;
    }
    this.#send(opcode, new Uint8Array(0));
    return true;
  }

  /** Sends a Close frame (1001) if open. May be called twice; no callback follows. */
  close(): void {
    if (this.isOpen) this.#sendClose(GOING_AWAY);
    if (this.#phase.phase === "handshake") this.#phase.reader.reset();
    this.#phase = CLOSED;
    this.#patience?.close();
    this.#connection.close();
  }

  #sendHandshake(): void {
    const { ports, address, deviceToken, sendsBearer = false } = this.#options;
    const { random, Digest: digest, base64, memory } = ports;
    const texts = { encoder: this.#encoder, decoder: new TextDecoder() };
    const handshake = new PushHandshake({ random, digest, base64, ...texts });
    this.#phase = { phase: "handshake", reader: new AnswerHeadReader(memory), handshake };
    this.#listen(SILENCE_TIMEOUT_MS);
    this.#connection.send(handshake.request(address, deviceToken, sendsBearer));
  }

  #listen(limitMs: number): void {
    this.#patience?.close();
    const { timer, clock } = this.#options.ports;
    const onTimeout = (reason: string) => this.#end({ fault: lost(reason) });
    this.#patience = new Patience({ timer, clock, limitMs, onTimeout });
  }

  #readAll(): void {
    try {
      while (this.#phase !== CLOSED) {
        const bytes = this.#connection.next();
        if (!bytes) return;
        if (this.isOpen) this.#patience?.touch(bytes.length); // the whole handshake has one time
        this.#consume(bytes);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #consume(bytes: Uint8Array): void {
    let taken = 0;
    while (taken < bytes.length && this.#phase !== CLOSED) taken += this.#consumePart(bytes.subarray(taken));
  }

  #consumePart(bytes: Uint8Array): number {
    if (this.#phase.phase === "handshake") return this.#consumeHead(this.#phase, bytes);
    if (this.#phase.phase === "open") return this.#consumeFrames(this.#phase.reader, bytes);
    return bytes.length; // bytes before the request are ignored
  }

  #consumeHead({ reader, handshake }: Extract<Phase, { phase: "handshake" }>, bytes: Uint8Array): number {
    const taken = reader.push(bytes);
    if (!reader.head) return taken;
    handshake.check(reader.head);
    reader.reset();
    this.#open();
    return taken;
  }

  #open(): void {
    const messages = new MessageCollector(this.#options.ports, {
      onText: (bytes) => this.#onText(bytes),
      onUnread: (fault) => this.#onMalformed(fault),
    });
    this.#phase = { phase: "open", reader: new FrameReader("server", messages) };
    this.#listen(PUSH_SILENCE_MS);
    this.#options.onOpen();
  }

  #consumeFrames(reader: FrameReader, bytes: Uint8Array): number {
    const taken = reader.push(bytes);
    if (reader.control && this.isOpen) this.#onControl(reader.control);
    return taken;
  }

  #onControl({ opcode, payload }: ControlFrame): void {
    // RFC 6455 §5.5.3: a hub that does not read gets no pongs, so that they do not accumulate.
    if (opcode === PING && this.#connection.waitingBytes < PONG_WAITING_LIMIT_BYTES)
      this.#send(PONG, payload);
    else if (opcode === CLOSE) this.#onClose(readCloseCode(payload));
  }

  #onClose(code: number | undefined): void {
    this.#sendClose(code); // RFC 6455 §5.5.1: the answer echoes the code
    const fault = lost(`the hub closed it with code ${code ?? "none"}`);
    this.#end(code === undefined ? { fault } : { fault, closeCode: code });
  }

  #onText(bytes: Uint8Array): void {
    if (this.#phase === CLOSED) return; // closed by an earlier message in the same bytes
    const message = this.#read(bytes);
    if (message) this.#options.onMessage(message);
  }

  #read(bytes: Uint8Array): HubMessage | undefined {
    try {
      return this.#messages.read(bytes);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#onMalformed(error);
      return undefined;
    }
  }

  #onMalformed(fault: Fault): void {
    if (this.isOpen) this.#options.onMalformed?.(fault);
  }

  #fail(error: unknown): void {
    if (error instanceof FrameError) {
      this.#sendClose(error.closeCode);
      this.#end({
        fault: new Fault("hub_refused", `The hub violates the protocol: ${error.message}`, { cause: error }),
      });
    } else if (error instanceof Fault && this.#phase.phase === "handshake") this.#end({ fault: error });
    else throw error;
  }

  #end(end: PushEnd): void {
    if (this.#phase === CLOSED) return;
    if (this.#phase.phase === "handshake") this.#phase.reader.reset();
    this.#phase = CLOSED;
    this.#patience?.close();
    this.#connection.close();
    this.#options.onClosed(end);
  }

  #sendClose(code: number | undefined): void {
    const payload = new Uint8Array(code === undefined ? 0 : CODE_BYTES);
    if (code !== undefined) payload.set([code >> 8, code & 0xff]);
    this.#send(CLOSE, payload);
  }

  #send(opcode: number, payload: Uint8Array, isFinal = true): void {
    this.#connection.send(maskedFrame(opcode, payload, this.#options.ports.random, isFinal));
  }
}

function lost(reason: string): Fault {
  return new Fault("hub_unreachable", `The push channel is lost: ${reason}`);
}
