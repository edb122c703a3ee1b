/**
 * Carries bytes between a client's socket and its {@link Conversation}. All connections of a console read into one shared
 * buffer; bytes that the conversation has not taken are copied before another connection reads.
 */
import { Outbox } from "../../../protocol/http/outbox.js";
import type { Tcp, TcpSocket } from "../../../protocol/ports/network.js";
import { Conversation, type Line, type Shared } from "./conversation.js";

/** What the connections of a server share. */
export interface ConnectionShared extends Shared {
  readonly tcp: Tcp;
}

export class Connection implements Line {
  readonly conversation: Conversation;
  readonly output: Outbox;
  /** Read once, since each access queries the network. */
  readonly address: string | undefined;
  readonly #input: Uint8Array;
  readonly #socket: TcpSocket;
  /** Bytes that can be read from the socket now. */
  #readableBytes = 0;
  /** Bytes read from the socket that the conversation has not taken. */
  #unread: Uint8Array | undefined;
  #hasPeerEnded = false;

  /** @param from an accepted connection, owned by this object from now on */
  constructor(shared: ConnectionShared, from: TcpSocket) {
    this.#input = shared.codec.input;
    this.#socket = new shared.tcp.Socket({
      from,
      nodelay: true,
      onReadable: (byteLength) => {
        this.#readableBytes = byteLength;
        this.resume();
      },
      onWritable: (byteLength) => this.#onWritable(byteLength),
      onError: () => {
        this.#hasPeerEnded = true;
        this.resume();
      },
      onBroken: () => this.conversation.close(),
    });
    this.address = this.#socket.remoteAddress;
    this.output = new Outbox(this.#socket);
    this.conversation = new Conversation(shared, this);
  }

  /** Passes bytes while the conversation takes them. */
  resume(): void {
    const { conversation } = this;
    while (conversation.takesBytes) {
      const bytes = this.#next();
      if (!bytes) {
        if (this.#hasPeerEnded) conversation.close(); // nothing that it waits for can come
        return;
      }
      const taken = conversation.receive(bytes);
      if (taken < bytes.length) this.#unread = bytes.subarray(taken);
    }
    if (this.#unread?.buffer === this.#input.buffer) this.#unread = this.#unread.slice();
  }

  end(): void {
    this.#socket.close();
  }

  #next(): Uint8Array | undefined {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread) return unread;
    const byteLength = Math.min(this.#readableBytes, this.#input.length);
    if (byteLength === 0) return undefined;
    const bytes = this.#input.subarray(0, byteLength);
    this.#socket.read(bytes);
    this.#readableBytes -= byteLength;
    return bytes;
  }

  #onWritable(byteLength: number): void {
    let takenBytes: number;
    try {
      takenBytes = this.output.onWritable(byteLength);
    } catch {
      this.conversation.close(); // the socket is broken
      return;
    }
    this.conversation.onRoom(takenBytes);
  }
}
