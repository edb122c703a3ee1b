/**
 * One connection of the push channel (docs/spec/hub-push.md#channel; RFC 6455): from the handshake to its end.
 *
 *   connecting --> shaking --101--> open --> closed
 *        |            | (refused)    |  Close, broken frames, silence, the network
 *        +------------+--------------+
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
import { Connection, IdleTimeout, SILENCE_TIMEOUT_MS } from "./connection.js";
import { MessageCollector, MessageReader, maskedFrame } from "./message-reader.js";
import type { HubClientPorts } from "./ports.js";
import { PushHandshake } from "./push-handshake.js";

/** The hub pings every 30 s (docs/spec/hub-push.md#hub-ping); two in a row and a half are missed. */
export const PUSH_SILENCE_MS = 75_000;

/** Bytes read from the push channel at a time: it is quiet, and its buffer is there all the time. */
const PUSH_READ_BYTES = 512;

/** Bytes that wait for a hub which does not read; what comes on top is not taken. */
const PUSH_WAITING_LIMIT_BYTES = 8192;

/**
 * Bytes that wait for a hub, past which its pings are not answered: an answer of six bytes takes twenty times as much
 * heap while it waits, and a hub that reads none of them can ask for thousands.
 */
const PONG_WAITING_LIMIT_BYTES = 256;

/** Why a connection is no more, or has never been. */
export interface PushEnd {
  /** `hub_unreachable`, `hub_refused`, `unauthorized` …; `retry_after_s` among its details where the hub said so. */
  readonly fault: Fault;
  /** Of the hub's Close frame, where one came. */
  readonly closeCode?: number;
}

export interface PushClientOptions {
  readonly ports: HubClientPorts;
  readonly address: HubAddress;
  readonly deviceToken: string;
  onOpen(): void;
  onMessage(message: HubMessage): void;
  /** A message was dropped that is of no use, or that there is no room for (`busy`). */
  onMalformed?(fault: Fault): void;
  /** Comes once, unless `close` was called before; nothing follows it. */
  onClosed(end: PushEnd): void;
}

type Phase =
  | { readonly phase: "connecting" }
  | { readonly phase: "shaking"; readonly reader: AnswerHeadReader; readonly handshake: PushHandshake }
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
  #silence: IdleTimeout | undefined;

  /** Begins at once; no callback runs inside. */
  constructor(options: PushClientOptions) {
    this.#options = options;
    this.#connection = new Connection({
      ports: options.ports,
      to: options.address,
      readBytes: PUSH_READ_BYTES,
      onConnected: () => this.#shakeHands(),
      onReadable: () => this.#takeAll(),
      onEnded: (fault) => this.#end({ fault }),
    });
  }

  get isOpen(): boolean {
    return this.#phase.phase === "open";
  }

  /** @returns whether it was handed over: false while the channel is not open, or takes nothing more */
  send(message: DeviceMessage): boolean {
    if (!this.isOpen) return false;
    const payload = this.#encoder.encode(JSON.stringify(message));
    const { waitingBytes } = this.#connection;
    if (waitingBytes > 0 && waitingBytes + payload.length > PUSH_WAITING_LIMIT_BYTES) return false;
    this.#send(TEXT, payload);
    return true;
  }

  /**
   * Sends a message that is made piece by piece, each of them a fragment (RFC 6455 §5.4): it never stands in memory whole.
   * @param nextPiece the next piece of the text; `undefined` after the last
   * @returns whether it was handed over: false while the channel is not open, or still has something to send
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

  /** Says goodbye where it is open (1001). May be called twice; no callback follows. */
  close(): void {
    if (this.isOpen) this.#sendClose(GOING_AWAY);
    if (this.#phase.phase === "shaking") this.#phase.reader.reset();
    this.#phase = CLOSED;
    this.#silence?.close();
    this.#connection.close();
  }

  #shakeHands(): void {
    const { ports, address, deviceToken } = this.#options;
    const { random, Digest: digest, base64, memory } = ports;
    const texts = { encoder: this.#encoder, decoder: new TextDecoder() };
    const handshake = new PushHandshake({ random, digest, base64, ...texts });
    this.#phase = { phase: "shaking", reader: new AnswerHeadReader(memory), handshake };
    this.#listen(SILENCE_TIMEOUT_MS);
    this.#connection.send(handshake.request(address, deviceToken));
  }

  #listen(limitMs: number): void {
    this.#silence?.close();
    const { timer, clock } = this.#options.ports;
    const onSilent = () => this.#end({ fault: lost("nothing was heard in time") });
    this.#silence = new IdleTimeout({ timer, clock, limitMs, onSilent });
  }

  #takeAll(): void {
    try {
      while (this.#phase !== CLOSED) {
        const bytes = this.#connection.next();
        if (!bytes) return;
        this.#silence?.heard();
        this.#take(bytes);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(bytes: Uint8Array): void {
    let taken = 0;
    while (taken < bytes.length && this.#phase !== CLOSED) taken += this.#takeSome(bytes.subarray(taken));
  }

  #takeSome(bytes: Uint8Array): number {
    if (this.#phase.phase === "shaking") return this.#takeHead(this.#phase, bytes);
    if (this.#phase.phase === "open") return this.#takeFrames(this.#phase.reader, bytes);
    return bytes.length; // there is nothing to be said before the request
  }

  #takeHead({ reader, handshake }: Extract<Phase, { phase: "shaking" }>, bytes: Uint8Array): number {
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

  #takeFrames(reader: FrameReader, bytes: Uint8Array): number {
    const taken = reader.push(bytes);
    if (reader.control && this.isOpen) this.#onControl(reader.control);
    return taken;
  }

  #onControl({ opcode, payload }: ControlFrame): void {
    // RFC 6455 §5.5.3: who does not read gets no answers either, so that they do not pile up.
    if (opcode === PING && this.#connection.waitingBytes < PONG_WAITING_LIMIT_BYTES)
      this.#send(PONG, payload);
    else if (opcode === CLOSE) this.#onClose(readCloseCode(payload));
  }

  #onClose(code: number | undefined): void {
    this.#sendClose(code); // RFC 6455 §5.5.1: the answer echoes the code
    const fault = lost(`it was closed with code ${code ?? "none"}`);
    this.#end(code === undefined ? { fault } : { fault, closeCode: code });
  }

  #onText(bytes: Uint8Array): void {
    if (this.#phase === CLOSED) return; // a message before it, in the same bytes, had it closed
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
        fault: new Fault("hub_refused", `The hub breaks the protocol: ${error.message}`, { cause: error }),
      });
    } else if (error instanceof Fault && this.#phase.phase === "shaking") this.#end({ fault: error });
    else throw error;
  }

  #end(end: PushEnd): void {
    if (this.#phase === CLOSED) return;
    if (this.#phase.phase === "shaking") this.#phase.reader.reset();
    this.#phase = CLOSED;
    this.#silence?.close();
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
