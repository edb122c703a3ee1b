/**
 * The name server of the set-up access point (RFC 1035): for every name, the address is the console's, so that a phone's
 * test whether there is an Internet leads to the set-up page (docs/spec/setup.md#names). It reads and writes messages with
 * the sandboxed program `dns`, which bounds their length, their entries and the pointers in names.
 */
import type { Sandbox, SandboxProgram } from "../../../protocol/ports/sandbox.js";
import {
  ANSWER,
  AUTHORITY,
  CLASS_IN,
  DnsReader,
  DnsWriter,
  openDns,
  QUESTION,
  TYPE_A,
  TYPE_ANY,
} from "../mdns/dns-message.js";

/** So short that no device takes the console for a server of the Internet once it is in another network. */
const TTL_SECONDS = 1;

/** Longest query: RFC 1035 §4.2.1. A question and an option of EDNS take 300 bytes at most. */
const QUERY_LIMIT_BYTES = 512;

/** Response, authoritative, recursion available: some resolvers take no answer from a server without recursion. */
const FLAGS_ANSWER = 0x8480;
/** Recursion desired, which an answer repeats (RFC 1035 §4.1.1); in the query's third byte. */
const RECURSION_DESIRED = 0x01;
const FORM = Object.freeze({ ttlSeconds: TTL_SECONDS, cacheFlush: false });

export class DnsResponder {
  readonly #address: Uint8Array;
  readonly #program: SandboxProgram;
  readonly #reader: DnsReader;
  readonly #writer: DnsWriter;

  /**
   * @param address four bytes
   * @throws {Error} when no memory is left
   */
  constructor(sandbox: Sandbox, address: Uint8Array) {
    this.#address = address;
    this.#program = openDns(sandbox);
    this.#reader = new DnsReader(this.#program);
    this.#writer = new DnsWriter(this.#program);
  }

  /**
   * Make the answer to a query: its question, and for an address of IPv4 the console's; nothing for any other type.
   * @returns `undefined` for what is no query of one question in the class of the Internet
   */
  answer(query: Uint8Array): Uint8Array | undefined {
    const [reader, writer] = [this.#reader, this.#writer];
    if (query.length > QUERY_LIMIT_BYTES || !reader.load(query)) return undefined;
    if (reader.isResponse || reader.isTruncated) return undefined;
    if (reader.count(QUESTION) !== 1 || reader.count(ANSWER) + reader.count(AUTHORITY) > 0) return undefined;
    reader.rewind();
    if (!reader.next() || reader.hasTopBit || reader.classCode !== CLASS_IN) return undefined;
    const { id, type } = reader;
    const name = reader.copyName();
    writer.begin(id, FLAGS_ANSWER | (((query[2] as number) & RECURSION_DESIRED) << 8));
    writer.question(name, type, false);
    const record = { name, type: TYPE_A, ttlSeconds: TTL_SECONDS, isUnique: false, data: this.#address };
    if (type === TYPE_A || type === TYPE_ANY) writer.record(ANSWER, record, FORM);
    return writer.message;
  }

  /** Frees the program's memory. May be called twice. */
  close(): void {
    this.#program.close();
  }
}
