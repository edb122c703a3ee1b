/**
 * Ports of the network, modelled on ECMA-419 §17 and §18: name resolution, TCP, and TLS over bytes.
 */

/** Resolves host names to addresses, for clients. A board queries the network's DNS server (RFC 1035). */
export interface Resolver {
  /**
   * Calls back once, never during this call. A numeric address resolves to itself, without a query. There is no
   * built-in timeout: the caller sets one.
   *
   * @throws {RangeError} for an invalid name: empty, longer than 253 characters, or with U+0000 in it
   */
  resolve(name: string, onResolved: OnResolved): void;
}

/** Exactly one of the arguments is defined. @param address numeric, IPv4 if the name has an IPv4 address */
export type OnResolved = (error: Error | undefined, address: string | undefined) => void;

/**
 * TCP socket: the part of ECMA-419 §11 (`embedded:io/socket/tcp`, `…/listener`) that services need, so that the
 * standard classes implement it without an adapter.
 *
 * Flow control is by counts. `onReadable(n)` reports that `n` bytes can be read now and is called again when more
 * arrive. `onWritable(n)` reports that `n` bytes can be written now; each write reduces the count, and the callback
 * runs again once there is more room. No callback runs inside a method of the same object, and none after `close()`.
 */
export interface TcpSocket {
  /** The peer's address in textual form, IPv4-mapped IPv6 shown as IPv4. */
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  /** The local address in the same form, on hosts that provide it. */
  readonly localAddress?: string | undefined;
  /**
   * Fill all of `into`, which must not be longer than the unread bytes that `onReadable` has reported: beyond that,
   * hosts differ.
   */
  read(into: Uint8Array): unknown;
  /** Write all bytes or none; throws when `bytes` are more than can be written now. */
  write(bytes: Uint8Array): unknown;
  /** Send the bytes already written, then close. Can be called twice. */
  close(): void;
}

interface TcpCallbacks {
  onReadable?(byteLength: number): void;
  onWritable?(byteLength: number): void;
  /**
   * The peer closed its side or the connection failed. Called once, after everything readable has been read. Bytes
   * written before `close()` still reach a peer that closed only its own side.
   */
  onError?(): void;
  /**
   * The connection has failed: nothing more can be sent, and `onWritable` will not be called. Called once, also after
   * `onError`, which alone does not tell a peer that still reads from one that is gone. ECMA-419 has no such callback: a
   * host whose sockets do not report it leaves the caller to its time limits.
   */
  onBroken?(): void;
}

export interface TcpListener {
  /** The actual port, also when port 0 was requested. */
  readonly port: number;
  /** The next accepted connection, to be adopted with `from`; `undefined` if there is none. */
  read(): TcpSocket | undefined;
  close(): void;
}

export interface TcpListenerOptions {
  readonly port: number;
  /** Local address to listen on; all addresses if left out. */
  readonly address?: string;
  onReadable(connections: number): void;
}

/** Options to adopt a connection that a listener has accepted. */
export interface TcpAdoptOptions extends TcpCallbacks {
  readonly from: TcpSocket;
  readonly nodelay?: boolean;
}

export interface Tcp {
  readonly Socket: new (options: TcpAdoptOptions) => TcpSocket;
  readonly Listener: new (options: TcpListenerOptions) => TcpListener;
}

/**
 * Options of an outgoing connection. The first `onWritable` reports that it is open; nothing can be written before.
 * `onError` reports that it failed. There is no built-in timeout: the caller sets one.
 */
export interface TcpConnectOptions extends TcpCallbacks {
  /** Numeric, IPv4 or IPv6; for names see {@link Resolver}. */
  readonly address: string;
  readonly port: number;
  readonly nodelay?: boolean;
}

/** TCP for clients; {@link Tcp} is for servers. */
export interface TcpClient {
  /** The constructor throws a RangeError for an invalid address or port, never for a network failure. */
  readonly Socket: new (
    options: TcpConnectOptions,
  ) => TcpSocket;
}

/**
 * TLS for clients, as an engine without a socket: the caller moves ciphertext and plaintext in and out. Four byte
 * counts (`receivable`, `readable`, `writable`, `takeable`) report how much each direction accepts or provides now. The
 * engine never calls back.
 *
 *   the peer --> receive()  read() --> the program
 *   the peer <-- take()    write() <-- the program
 *
 * The caller reads the state from `phase`. Supported versions are 1.2 and 1.3. The engine always verifies the server's
 * certificate, and that it is for `serverName`.
 *
 *   handshake --> open --> ended (the peer has announced the end of its data: close_notify, RFC 8446 §6.1)
 *        \          \
 *         `----------`--> failed (see `problem`; the remaining output of take() notifies the peer)
 */
export type TlsPhase = "handshake" | "open" | "ended" | "failed";

export interface TlsOptions {
  /**
   * Name that the certificate must match: a host name, which is also sent to the peer (SNI, RFC 6066 §3), or a numeric
   * address without brackets.
   */
  readonly serverName: string;
}

export interface TlsEngine {
  /** Becomes `ended` only after all plaintext before close_notify has been read. */
  readonly phase: TlsPhase;
  /** Why the connection failed, as the TLS library words it, for example `certificate has expired`. */
  readonly problem: string | undefined;

  /** Ciphertext bytes that fit now. To make room, read plaintext and take ciphertext. */
  readonly receivable: number;
  /** Accept ciphertext from the peer, split anywhere; all or nothing. @throws {RangeError} beyond `receivable` */
  receive(ciphertext: Uint8Array): void;

  /** Plaintext bytes that can be read now, at most one record, 16 KiB. */
  readonly readable: number;
  /** Fill all of `into` with plaintext. @throws {RangeError} beyond `readable` */
  read(into: Uint8Array): void;

  /** Plaintext bytes that can be written now: 0 during the handshake, 4096 once all ciphertext is taken. */
  readonly writable: number;
  /** Write plaintext; all or nothing. @throws {RangeError} beyond `writable` */
  write(plaintext: Uint8Array): void;

  /** Bytes waiting to be sent; as ciphertext they can be more. */
  readonly takeable: number;
  /** Move ciphertext to `into`. @returns how many bytes, from the start of `into`, the caller must send */
  take(into: Uint8Array): number;

  /** End writing and notify the peer (close_notify). No-op before the handshake is complete. */
  end(): void;
  /** Free everything without sending. Can be called twice; call nothing else afterwards. */
  close(): void;
}

/** @throws {RangeError} for a `serverName` that is neither a name nor an address */
export type TlsConstructor = new (options: TlsOptions) => TlsEngine;
