/**
 * The TCP port (protocol/ports/network.ts) on node:net, so that the device's services run in Node against real
 * clients.
 *
 * Receiving: the stream stays paused, so unread data waits in the kernel and TCP flow control slows the peer.
 * Sending: at most WRITE_LIMIT_BYTES are in flight; `onWritable` reports how much of this limit is free.
 */
import { connect, createServer, isIP, type Socket as NetSocket, type Server } from "node:net";
import type {
  Tcp,
  TcpAdoptOptions,
  TcpClient,
  TcpConnectOptions,
  TcpListener,
  TcpListenerOptions,
  TcpSocket,
} from "../../protocol/ports/network.js";

/** Roughly the size of lwIP's send buffer on a board, so that answers are split here as they are there. */
const WRITE_LIMIT_BYTES = 5760;
/** The time for which the simulator, too, waits for the peer of a closed connection. */
const LINGER_MS = 500;

/** An accepted connection before and after its adoption, or an outgoing connection. */
class NodeSocket implements TcpSocket {
  #socket: NetSocket | undefined;
  #options: TcpAdoptOptions | TcpConnectOptions | undefined;
  #isAnnounced = false;

  constructor(options: TcpAdoptOptions);
  constructor(options: TcpConnectOptions);
  constructor(options: { readonly socket: NetSocket });
  constructor(options: TcpAdoptOptions | TcpConnectOptions | { readonly socket: NetSocket }) {
    if ("socket" in options) {
      this.#socket = options.socket;
      // A reset before adoption must not end the process.
      this.#socket.on("error", ignore);
    } else {
      this.#socket = "from" in options ? (options.from as NodeSocket).#detach() : connectTo(options);
      this.#adopt(options, this.#socket);
    }
  }

  get remoteAddress(): string | undefined {
    return this.#socket?.remoteAddress?.replace(/^::ffff:/, "");
  }

  get localAddress(): string | undefined {
    return this.#socket?.localAddress?.replace(/^::ffff:/, "");
  }

  get remotePort(): number | undefined {
    return this.#socket?.remotePort;
  }

  read(into: Uint8Array): number {
    const socket = this.#open();
    const bytes: Uint8Array | null = socket.read(into.length);
    if (bytes?.length !== into.length) throw new Error(`Cannot read ${into.length} bytes`);
    into.set(bytes);
    socket.read(0); // lets the stream emit "end" once it is empty
    return bytes.length;
  }

  write(bytes: Uint8Array): void {
    const socket = this.#open();
    if (bytes.length > this.#writable) throw new Error(`Cannot write ${bytes.length} bytes`);
    socket.write(bytes.slice(), () => this.#announceWritable());
  }

  close(): void {
    const socket = this.#socket;
    if (!socket) return;
    this.#socket = undefined;
    this.#options = undefined;
    linger(socket);
  }

  get #writable(): number {
    if (!this.#socket || this.#socket.connecting) return 0;
    return WRITE_LIMIT_BYTES - this.#socket.writableLength;
  }

  #open(): NetSocket {
    if (!this.#socket) throw new Error("Cannot use a closed socket");
    return this.#socket;
  }

  #detach(): NetSocket {
    const socket = this.#open();
    this.#socket = undefined;
    return socket;
  }

  #adopt(options: TcpAdoptOptions | TcpConnectOptions, socket: NetSocket): void {
    this.#options = options;
    if (options.nodelay) socket.setNoDelay(true);
    socket.on("readable", () => {
      if (socket.readableLength > 0) this.#options?.onReadable?.(socket.readableLength);
      else socket.read(0);
    });
    socket.once("end", () => this.#fail());
    socket.once("error", () => {
      this.#options?.onBroken?.();
      this.#fail();
    });
    if (socket.connecting) socket.once("connect", () => this.#announceWritable());
    else this.#announceWritable();
  }

  /** Deferred, since no callback may run inside the method that caused it; several causes are reported once. */
  #announceWritable(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    setImmediate(() => {
      this.#isAnnounced = false;
      if (this.#writable > 0) this.#options?.onWritable?.(this.#writable);
    });
  }

  #fail(): void {
    const onError = this.#options?.onError;
    if (this.#options) this.#options = { ...this.#options, onError: ignore };
    onError?.call(this.#options);
  }
}

class NodeListener implements TcpListener {
  readonly #server: Server;
  readonly #waiting: NodeSocket[] = [];

  constructor({ port, address, onReadable }: TcpListenerOptions) {
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      this.#waiting.push(new NodeSocket({ socket }));
      onReadable(this.#waiting.length);
    });
    this.#server.listen(port, address ?? "127.0.0.1");
  }

  /** Node binds one turn after `listen`: see {@link nextTurn}. */
  get port(): number {
    const bound = this.#server.address();
    if (bound === null || typeof bound === "string")
      throw new Error("Cannot tell the port before it is bound");
    return bound.port;
  }

  read(): TcpSocket | undefined {
    return this.#waiting.shift();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#waiting.splice(0)) socket.close();
  }
}

/** The TCP port on node:net; listens on 127.0.0.1 by default. */
export const nodeTcp: Tcp & TcpClient = { Socket: NodeSocket, Listener: NodeListener };

/** @throws {RangeError} if the address or port is invalid */
function connectTo({ address, port }: TcpConnectOptions): NetSocket {
  if (!isIP(address)) throw new RangeError(`"${address}" is not a numeric address`);
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new RangeError(`${port} is not a port`);
  return connect({ host: address, port, allowHalfOpen: true });
}

/**
 * Closes after draining the input: closing with unread input resets the connection and discards the answer (RFC 9112
 * §9.6).
 */
function linger(socket: NetSocket): void {
  socket.removeAllListeners("readable");
  socket.on("error", ignore);
  socket.on("end", () => socket.destroy());
  socket.end();
  socket.resume();
  const deadline = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(deadline));
}

function ignore(): void {
  // The connection is no longer in use, so its error does not matter.
}
