/**
 * Puts the messages of the push channel together. One that is longer than any that a console knows, or is no text, is
 * counted off and kept nowhere: the channel allows 64 KiB, which is half of a console's heap.
 */
import { Fault } from "../protocol/fault.js";
import type { MessageSink } from "../protocol/websocket/frame-reader.js";
import { TEXT } from "../protocol/websocket/opcode.js";
import { ByteCollector } from "./byte-collector.js";
import { PUSH_MESSAGE_LIMIT_BYTES } from "./limits.js";

export interface CollectedMessages {
  /** A text message, in UTF-8. */
  onText(bytes: Uint8Array): void;
  /** A message that is not read. */
  onUnread(fault: Fault): void;
}

export class MessageCollector implements MessageSink {
  readonly #to: CollectedMessages;
  #isText = false;
  #message: ByteCollector | undefined;

  constructor(to: CollectedMessages) {
    this.#to = to;
  }

  begin(opcode: number): void {
    this.#isText = opcode === TEXT;
    this.#message = new ByteCollector(this.#isText ? PUSH_MESSAGE_LIMIT_BYTES : 0);
  }

  write(bytes: Uint8Array): void {
    this.#message?.push(bytes);
  }

  end(): void {
    const message = this.#message;
    this.#message = undefined;
    if (!message) return;
    if (!this.#isText) this.#to.onUnread(new Fault("bad_json", "The hub sends a message that is not text"));
    else if (message.isOver) this.#to.onUnread(tooLong());
    else this.#to.onText(message.join());
  }
}

function tooLong(): Fault {
  return new Fault("body_too_large", `The hub sends a message over ${PUSH_MESSAGE_LIMIT_BYTES} bytes`);
}
