/**
 * Reads the peer's frames (RFC 6455 §5). Returns control frames to the caller and passes messages to a
 * {@link MessageSink}. Without a sink, messages are checked just as strictly and dropped. Owns the payload of one
 * control frame, no socket.
 *
 *   nothing --TEXT or BINARY, not final--> text or binary --CONTINUATION, final--> nothing
 *
 * A control frame may come anywhere between two frames and does not change this state (§5.4).
 */
import {
  CONTINUATION,
  CONTROL_LIMIT_BYTES,
  FrameError,
  FrameHead,
  INVALID_TEXT,
  isControl,
  MESSAGE_TOO_BIG,
  PROTOCOL_ERROR,
  type Sender,
  TEXT,
  Utf8Checker,
} from "./frame-head.js";

/**
 * A message with all its fragments; a longer one is 1009. The push channel to the hub has the same limit
 * (docs/spec/hub-push.md#messages).
 */
export const MESSAGE_LIMIT_BYTES = 64 * 1024;

export interface ControlFrame {
  /** CLOSE, PING or PONG. */
  readonly opcode: number;
  /** Unmasked; valid until the next `push`. */
  readonly payload: Uint8Array;
}

/** Receives messages piece by piece. */
export interface MessageSink {
  /** @param opcode TEXT or BINARY */
  begin(opcode: number): void;
  /** The next bytes, unmasked; valid during the call only. Text can be split within a character. */
  write(bytes: Uint8Array): void;
  /** The message is complete and, if it is text, valid UTF-8. */
  end(): void;
}

/** In place of an opcode: no message is in progress. */
const NOTHING = -1;

export class FrameReader {
  readonly #head: FrameHead;
  readonly #messages: MessageSink | undefined;
  readonly #controlBytes = new Uint8Array(CONTROL_LIMIT_BYTES);
  readonly #text = new Utf8Checker();
  #control: ControlFrame | undefined;
  /** NOTHING, TEXT or BINARY. */
  #message = NOTHING;
  #messageBytes = 0;
  /** Bytes of the frame's payload consumed so far. */
  #takenBytes = 0;

  /** @param messages receives the messages; if left out, they are dropped */
  constructor(from: Sender, messages?: MessageSink) {
    this.#head = new FrameHead(from);
    this.#messages = messages;
  }

  /** The control frame that ended the last `push`; `undefined` if `push` consumed everything without one. */
  get control(): ControlFrame | undefined {
    return this.#control;
  }

  /**
   * Consume bytes until a control frame is complete or the chunk is used up.
   * @param chunk its payload is unmasked in place
   * @returns how many bytes of `chunk` were consumed; at least one unless it is empty
   * @throws {FrameError} 1002, 1007 for text that is not UTF-8, 1009 past {@link MESSAGE_LIMIT_BYTES};
   *   the reader is unusable afterwards
   */
  push(chunk: Uint8Array): number {
    this.#control = undefined;
    let taken = 0;
    while (taken < chunk.length && !this.#control) {
      const rest = chunk.subarray(taken);
      taken += this.#head.isComplete ? this.#takePayload(rest) : this.#takeHead(rest);
    }
    return taken;
  }

  #takeHead(chunk: Uint8Array): number {
    const taken = this.#head.push(chunk);
    if (!this.#head.isComplete) return taken;
    if (!isControl(this.#head.opcode)) this.#beginData(this.#head);
    this.#takenBytes = 0;
    if (this.#head.payloadBytes === 0) this.#endFrame();
    return taken;
  }

  /** RFC 6455 §5.4: fragments of one message are not interleaved with another's. */
  #beginData({ opcode, payloadBytes }: FrameHead): void {
    const isContinuation = opcode === CONTINUATION;
    if (isContinuation && this.#message === NOTHING)
      throw new FrameError(PROTOCOL_ERROR, "There is no message to continue");
    if (!isContinuation) this.#beginMessage(opcode);
    this.#messageBytes += payloadBytes;
    if (this.#messageBytes > MESSAGE_LIMIT_BYTES)
      throw new FrameError(MESSAGE_TOO_BIG, `A message has at most ${MESSAGE_LIMIT_BYTES} bytes`);
  }

  #beginMessage(opcode: number): void {
    if (this.#message !== NOTHING)
      throw new FrameError(PROTOCOL_ERROR, "A message begins before the last one has ended");
    this.#message = opcode;
    this.#messageBytes = 0;
    this.#messages?.begin(opcode);
  }

  #takePayload(chunk: Uint8Array): number {
    const payload = chunk.subarray(0, this.#head.payloadBytes - this.#takenBytes);
    if (isControl(this.#head.opcode)) this.#keep(payload);
    else if (this.#message === TEXT || this.#messages) this.#passOn(payload);
    this.#takenBytes += payload.length;
    if (this.#takenBytes === this.#head.payloadBytes) this.#endFrame();
    return payload.length;
  }

  #keep(payload: Uint8Array): void {
    this.#head.unmask(payload, this.#takenBytes);
    this.#controlBytes.set(payload, this.#takenBytes);
  }

  #passOn(payload: Uint8Array): void {
    this.#head.unmask(payload, this.#takenBytes);
    if (this.#message === TEXT && !this.#text.push(payload)) throw invalidText();
    this.#messages?.write(payload);
  }

  #endFrame(): void {
    const { opcode, isFinal, payloadBytes } = this.#head;
    this.#head.reset();
    if (isControl(opcode)) this.#control = { opcode, payload: this.#controlBytes.subarray(0, payloadBytes) };
    else if (isFinal) this.#endMessage();
  }

  #endMessage(): void {
    if (this.#message === TEXT && !this.#text.isComplete) throw invalidText();
    this.#message = NOTHING;
    this.#messages?.end();
  }
}

function invalidText(): FrameError {
  return new FrameError(INVALID_TEXT, "A text message is not UTF-8");
}
