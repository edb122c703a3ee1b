/**
 * The TCP port without a network: tests are the peer. Nothing happens by itself, so every order of events
 * can be played: bytes arrive by `send`, room for answers appears by `drain`.
 */
import type {
  Tcp,
  TcpAdoptOptions,
  TcpListener,
  TcpListenerOptions,
  TcpSocket,
} from "../../../../protocol/ports/network.js";
import { octets } from "./head.js";

const DEFAULT_WINDOW_BYTES = 5760;

export interface ConnectOptions {
  readonly takesAll?: boolean;
  readonly address?: string;
}

/** The far end of a connection. */
export class Peer {
  readonly address: string;
  readonly #decoder = new TextDecoder();
  #callbacks: TcpAdoptOptions | undefined;
  #unread: number[] = [];
  #writable = 0;
  #received: Uint8Array[] = [];
  isClosed = false;
  /** Room for answers while {@link takesAll}. */
  windowBytes = DEFAULT_WINDOW_BYTES;
  /** Whether whatever is written is taken at once, as by a peer that reads. */
  takesAll = true;
  /** Whether writes fail, as on a connection that is lost and does not know it yet. */
  isBroken = false;

  constructor(address = "192.0.2.7") {
    this.address = address;
  }

  /** Text as octets, or bytes; arrives as one piece. */
  send(data: string | Uint8Array): void {
    if (this.isClosed) return;
    this.#unread.push(...(typeof data === "string" ? octets(data) : data));
    if (this.#unread.length > 0) this.#callbacks?.onReadable?.(this.#unread.length);
    this.settle();
  }

  /** Closes this side. */
  end(): void {
    if (!this.isClosed) this.#callbacks?.onError?.();
    this.settle();
  }

  /** Resets the connection, which has been read to its end. */
  reset(): void {
    if (!this.isClosed) this.#callbacks?.onBroken?.();
  }

  /** Makes room for `byteLength` more bytes of answer. */
  drain(byteLength: number): void {
    if (this.isClosed) return;
    this.#writable += byteLength;
    this.#callbacks?.onWritable?.(this.#writable);
  }

  /** Empties the send window each time the server fills it, once callbacks are set. */
  settle(): void {
    while (this.takesAll && this.#callbacks && this.#writable < this.windowBytes)
      this.drain(this.windowBytes - this.#writable);
  }

  /** Everything received since the last call. */
  take(): string {
    return this.#takeParts()
      .map((part) => this.#decoder.decode(part))
      .join("");
  }

  /** The same as it came, where it is not text. */
  takeBytes(): Uint8Array {
    return Buffer.concat(this.#takeParts());
  }

  #takeParts(): Uint8Array[] {
    const parts = this.#received;
    this.#received = [];
    return parts;
  }

  get unreadBytes(): number {
    return this.#unread.length;
  }

  socket(): TcpSocket {
    const peer = this;
    return {
      remoteAddress: peer.address,
      remotePort: 49152,
      read(into) {
        if (peer.isClosed || into.length > peer.#unread.length) throw new Error("Cannot read that much");
        into.set(peer.#unread.splice(0, into.length));
      },
      write(bytes) {
        if (peer.isClosed || peer.isBroken || bytes.length > peer.#writable)
          throw new Error("Cannot write that much");
        peer.#writable -= bytes.length;
        peer.#received.push(bytes.slice());
      },
      close() {
        peer.isClosed = true;
        peer.#callbacks = undefined;
      },
    };
  }

  adopt(callbacks: TcpAdoptOptions): void {
    this.#callbacks = callbacks;
  }
}

export class EmulatedTcp implements Tcp {
  readonly Socket: Tcp["Socket"];
  readonly Listener: Tcp["Listener"];
  readonly #waiting: Peer[] = [];
  readonly #peers = new Map<TcpSocket, Peer>();
  #options: TcpListenerOptions | undefined;

  constructor() {
    const tcp = this;
    this.Socket = class {
      constructor(options: TcpAdoptOptions) {
        const peer = tcp.#peers.get(options.from);
        peer?.adopt(options);
        // biome-ignore lint/correctness/noConstructorReturn: the adopted socket is the accepted one
        return options.from as never;
      }
    } as unknown as Tcp["Socket"];
    this.Listener = class implements TcpListener {
      readonly port: number;
      constructor(options: TcpListenerOptions) {
        tcp.#options = options;
        this.port = options.port;
      }
      read() {
        const peer = tcp.#waiting.shift();
        if (!peer) return undefined;
        const socket = peer.socket();
        tcp.#peers.set(socket, peer);
        return socket;
      }
      close() {
        tcp.#options = undefined;
      }
    };
  }

  /** A new connection; `takesAll` false leaves it to the test to make room for answers. */
  connect({ takesAll = true, address }: ConnectOptions = {}): Peer {
    const peer = new Peer(address);
    peer.takesAll = takesAll;
    this.#waiting.push(peer);
    this.#options?.onReadable(this.#waiting.length);
    peer.settle();
    return peer;
  }
}
