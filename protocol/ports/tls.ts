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
