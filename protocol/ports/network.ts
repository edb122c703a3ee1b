/**
 * Ports of the network, as ECMA-419 §17 and §18 shape them: name resolution, TCP, and TLS over bytes.
 */

/** Resolves host names to addresses, for clients that connect. A board asks the network's DNS (RFC 1035). */
export interface Resolver {
  /**
   * Calls back once, never from inside this call. A numeric address resolves to itself, without a query.
   * The network decides how long it takes: the caller sets a time-out.
   *
   * @throws {RangeError} for an invalid name: empty, longer than 253 characters, with U+0000 in it
   */
  resolve(name: string, onResolved: OnResolved): void;
}

/** @param address numeric, IPv4 where there is one; exactly one of the two is there */
export type OnResolved = (error: Error | undefined, address: string | undefined) => void;

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

/**
 * TLS for clients, as an engine that owns bytes and no socket: ciphertext goes in and comes out, and so does
 * plaintext. Byte counts report how far each of the four can go now. The engine never calls back.
 *
 *   the peer --> receive()  read() --> the program
 *   the peer <-- take()    write() <-- the program
 *
 * The carrier of the bytes reads the result from `phase`. Versions are 1.2 and 1.3; the engine always checks the
 * certificate of the server, and that it is for `serverName`.
 *
 *   handshake --> open --> ended (the peer has announced the end of its data: close_notify, RFC 8446 §6.1)
 *        \          \
 *         `----------`--> failed (see `problem`; the remaining output of take() notifies the peer)
 */
export type TlsPhase = "handshake" | "open" | "ended" | "failed";

export interface TlsOptions {
  /**
   * What the certificate has to be for: a host name, which is sent to the peer (RFC 6066 §3), or a numeric address,
   * without brackets.
   */
  readonly serverName: string;
}

export interface TlsEngine {
  /** `ended` once everything before that end was read. */
  readonly phase: TlsPhase;
  /** Why it failed, in the words of the library that found it: `certificate has expired`. */
  readonly problem: string | undefined;

  /** Bytes of ciphertext that there is room for. There is some again once plaintext is read and ciphertext is taken. */
  readonly receivable: number;
  /** All or nothing: takes what the peer has sent, cut anywhere. @throws {RangeError} beyond `receivable` */
  receive(ciphertext: Uint8Array): void;

  /** Bytes of plaintext that can be read now, at most those of one record, 16 KiB. */
  readonly readable: number;
  /** Fills all of `into`. @throws {RangeError} beyond `readable` */
  read(into: Uint8Array): void;

  /** Bytes of plaintext that can be written now: none during the handshake, 4096 where everything was taken. */
  readonly writable: number;
  /** All or nothing. @throws {RangeError} beyond `writable` */
  write(plaintext: Uint8Array): void;

  /** Bytes that are to be sent; there may be more of them as ciphertext. */
  readonly takeable: number;
  /** @returns how many bytes of `into`, from its start, are to be sent now */
  take(into: Uint8Array): number;

  /** Ends writing: notifies the peer (close_notify). No-op before the handshake is over. */
  end(): void;
  /** Frees everything, sends nothing. May be called twice; nothing else may be called afterwards. */
  close(): void;
}

/** @throws {RangeError} for what is neither a name nor an address */
export type TlsConstructor = new (options: TlsOptions) => TlsEngine;
