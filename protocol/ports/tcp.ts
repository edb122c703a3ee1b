/**
 * TCP as the services see it: the part of ECMA-419 §11 (`embedded:io/socket/tcp`, `…/listener`) that
 * they need, so that the standard classes satisfy it with no adapter.
 *
 * Flow control is by counts. `onReadable(n)` reports that `n` bytes can be read now and is called again
 * when more arrive. `onWritable(n)` reports that `n` bytes can be written now; the count goes down with
 * each write, and the callback comes again once there is more room. No callback runs inside a method
 * of the same object, and none after `close()`.
 */
export interface TcpSocket {
  /** The peer's address in textual form, IPv4-mapped IPv6 shown as IPv4. */
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  /** This end's address in the same form, on hosts that tell: boards do not. */
  readonly localAddress?: string | undefined;
  /**
   * Fills all of `into`, which is at most as long as the unread bytes that `onReadable` has announced.
   * Do not pass more: hosts differ in what they do then.
   */
  read(into: Uint8Array): unknown;
  /** All or nothing; throws when `bytes` are more than can be written now. */
  write(bytes: Uint8Array): unknown;
  /** Sends what was written, then closes. May be called twice. */
  close(): void;
}

export interface TcpCallbacks {
  onReadable?(byteLength: number): void;
  onWritable?(byteLength: number): void;
  /**
   * The peer closed its side or the connection failed; comes once, after everything readable was
   * read. What is written before `close()` still reaches a peer that only closed its own side.
   */
  onError?(): void;
}

export interface TcpListener {
  /** The port in use, also where 0 was asked for. */
  readonly port: number;
  /** The next accepted connection, to be adopted through `from`, or `undefined` when there is none. */
  read(): TcpSocket | undefined;
  close(): void;
}

export interface TcpListenerOptions {
  readonly port: number;
  /** Local address to listen on; every address when left out. Boards have one and ignore it. */
  readonly address?: string;
  onReadable(connections: number): void;
}

/** A connection that a listener has accepted. */
export interface TcpAdoptOptions extends TcpCallbacks {
  readonly from: TcpSocket;
  readonly nodelay?: boolean;
}

export interface Tcp {
  readonly Socket: new (options: TcpAdoptOptions) => TcpSocket;
  readonly Listener: new (options: TcpListenerOptions) => TcpListener;
}

/**
 * An outgoing connection. `onWritable` reports that it is open, and until then nothing can be written;
 * `onError` reports that it failed. How long that takes is up to the network: a time-out is the
 * caller's.
 */
export interface TcpConnectOptions extends TcpCallbacks {
  /** Numeric, IPv4 or IPv6; for names see `resolver.ts`. */
  readonly address: string;
  readonly port: number;
  readonly nodelay?: boolean;
}

/** What clients need of TCP, as `Tcp` is what servers do. */
export interface TcpClient {
  /** Throws a RangeError for an invalid address or port, and never for a network failure. */
  readonly Socket: new (
    options: TcpConnectOptions,
  ) => TcpSocket;
}
