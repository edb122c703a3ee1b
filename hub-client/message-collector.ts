/**
 * Collects the messages of the push channel. A message that is longer than any that a console knows, is not text, or
 * finds no room, is skipped without storing it: the channel allows 64 KiB, which is half of a console's heap.
 */
import { Fault } from "../protocol/fault.js";
import type { MessageSink } from "../protocol/websocket/frame-reader.js";
import { TEXT } from "../protocol/websocket/opcode.js";
import { ByteCollector } from "./byte-collector.js";
import { PUSH_MESSAGE_COPIES, PUSH_MESSAGE_LIMIT_BYTES, PUSH_SMALL_MESSAGE_BYTES } from "./limits.js";
import type { HubClientPorts } from "./ports.js";

export interface CollectedMessages {
  /** A text message, in UTF-8. */
  onText(bytes: Uint8Array): void;
  /** A message that is not read. */
  onUnread(fault: Fault): void;
}

export class MessageCollector implements MessageSink {
  readonly #to: CollectedMessages;
  readonly #ports: Pick<HubClientPorts, "hasRoom">;
  #isText = false;
  #hasRoom = true;
  #message: ByteCollector | undefined;

  constructor(ports: Pick<HubClientPorts, "hasRoom">, to: CollectedMessages) {
    this.#ports = ports;
    this.#to = to;
  }

  begin(opcode: number): void {
    this.#isText = opcode === TEXT;
    this.#hasRoom = true;
    this.#message = new ByteCollector(this.#isText ? PUSH_MESSAGE_LIMIT_BYTES : 0);
  }

  write(bytes: Uint8Array): void {
    const message = this.#message;
    if (!message || !this.#hasRoom) return;
    message.push(bytes);
    const { length } = message.join();
    if (length <= PUSH_SMALL_MESSAGE_BYTES) return;
    this.#hasRoom = this.#ports.hasRoom?.(PUSH_MESSAGE_COPIES * length) ?? true;
    if (!this.#hasRoom) message.drop();
  }

  end(): void {
    const message = this.#message;
    this.#message = undefined;
    if (!message) return;
    if (!this.#hasRoom) this.#to.onUnread(new Fault("busy", "There is no room for a message of the hub now"));
    else if (!this.#isText)
      this.#to.onUnread(new Fault("bad_json", "The hub sends a message that is not text"));
    else if (message.isOver) this.#to.onUnread(tooLong());
    else this.#to.onText(message.join());
  }
}

function tooLong(): Fault {
  return new Fault("body_too_large", `The hub sends a message over ${PUSH_MESSAGE_LIMIT_BYTES} bytes`);
}
