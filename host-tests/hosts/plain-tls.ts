/**
 * The TLS port without cryptography, for tests of the code that carries its bytes. A record is one byte for its kind,
 * two bytes for its length, and the payload with all bits inverted. Both ends use this class.
 */
import type { TlsConstructor, TlsEngine, TlsOptions, TlsPhase } from "../../protocol/ports/network.js";

const ROOM_BYTES = 4096;
const HEAD_BYTES = 3;
const HELLO = 72;
const DATA = 68;
const NOTIFY = 78;
const REFUSE = 82;

const turned = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0xff);

export class PlainTls implements TlsEngine {
  readonly serverName: string;
  phase: TlsPhase = "handshake";
  problem: string | undefined;
  #incoming: number[] = [];
  #plaintext: number[] = [];
  readonly #outgoing: number[] = [];
  isClosed = false;

  constructor({ serverName }: TlsOptions) {
    if (serverName === "") throw new RangeError("no name");
    this.serverName = serverName;
    this.#put(HELLO);
  }

  get receivable(): number {
    if (this.readable === 0) return ROOM_BYTES; // the incomplete record may need all of it
    return Math.max(0, ROOM_BYTES - this.#incoming.length);
  }

  receive(ciphertext: Uint8Array): void {
    if (ciphertext.length > this.receivable) throw new RangeError("no room");
    if (this.phase !== "ended" && this.phase !== "failed") this.#incoming.push(...ciphertext);
    this.#advance();
  }

  get readable(): number {
    return this.#plaintext.length;
  }

  read(into: Uint8Array): void {
    if (into.length > this.readable) throw new RangeError("not so many");
    into.set(this.#plaintext.splice(0, into.length));
    this.#advance();
  }

  get writable(): number {
    return this.phase === "open" || this.phase === "ended"
      ? Math.max(0, ROOM_BYTES - this.#outgoing.length)
      : 0;
  }

  write(plaintext: Uint8Array): void {
    if (plaintext.length > this.writable) throw new RangeError("no room");
    this.#put(DATA, plaintext);
  }

  get takeable(): number {
    return this.#outgoing.length;
  }

  take(into: Uint8Array): number {
    const bytes = this.#outgoing.splice(0, into.length);
    into.set(bytes);
    return bytes.length;
  }

  /** Sends a fatal alert, as either end does when it rejects the other's handshake. */
  refuse(): void {
    this.#put(REFUSE);
  }

  end(): void {
    if (this.phase === "open" || this.phase === "ended") this.#put(NOTIFY);
  }

  close(): void {
    this.isClosed = true;
  }

  #put(kind: number, bytes: Uint8Array = new Uint8Array()): void {
    this.#outgoing.push(kind, bytes.length >> 8, bytes.length & 0xff, ...turned(bytes));
  }

  /** Processes buffered records until one yields plaintext; the caller must read that first. */
  #advance(): void {
    while (this.#plaintext.length === 0 && this.#incoming.length >= HEAD_BYTES) {
      const [kind = 0, high = 0, low = 0] = this.#incoming;
      const end = HEAD_BYTES + high * 256 + low;
      if (this.#incoming.length < end) return;
      const body = Uint8Array.from(this.#incoming.splice(0, end).slice(HEAD_BYTES));
      this.#take(kind, turned(body));
    }
  }

  #take(kind: number, body: Uint8Array): void {
    if (kind === HELLO && this.phase === "handshake") this.phase = "open";
    else if (kind === DATA && this.phase === "open") this.#plaintext = [...body];
    else if (kind === NOTIFY && this.phase === "open") this.phase = "ended";
    else this.#fail(kind === REFUSE ? "refused" : "no record");
  }

  #fail(problem: string): void {
    this.phase = "failed";
    this.problem = problem;
    this.#incoming = [];
    this.refuse();
  }
}

/** Returns a TLS constructor that records the engines it creates, for inspection by a test. */
export function watchedTls(): { readonly Tls: TlsConstructor; readonly engines: readonly PlainTls[] } {
  const engines: PlainTls[] = [];
  class Tls extends PlainTls {
    constructor(options: TlsOptions) {
      super(options);
      engines.push(this);
    }
  }
  return { Tls, engines };
}
