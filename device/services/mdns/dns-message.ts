/**
 * DNS messages as used by multicast DNS (RFC 1035 §4, RFC 6762 §18): record types, a reader and a writer. The sandboxed
 * program `dns` does their work on bytes and enforces the limits of messages (`device/sandbox/dns`).
 */
import type { Sandbox, SandboxProgram } from "../../../protocol/ports/sandbox.js";
import {
  ADD_FLAGS,
  ADD_NAME,
  COPY_DATA,
  COPY_NAME,
  DATA_LENGTH,
  DATAGRAM,
  DATAGRAM_LIMIT_BYTES,
  ENTRY_SECTION_SHIFT,
  ENTRY_TOP_BIT,
  FORGET_NAMES,
  MATCH_DATA,
  MATCH_NAME,
  MESSAGE,
  MESSAGE_LENGTH,
  OPERAND,
  OPERAND_LIMIT_BYTES,
  QUESTION,
  READ_CLASS,
  READ_TTL,
  RECORD_FLUSH,
  RECORD_PLAIN,
  REWIND,
  START,
  START_MESSAGE,
  VERDICT_CONCERNS_US,
  VERDICT_RESPONSE,
  VERDICT_TRUNCATED,
  WRITE_QUESTION,
  WRITE_RECORD,
} from "../../sandbox/dns/operations.js";
import type { DomainName } from "./domain-name.js";

export {
  ADDITIONAL,
  ANSWER,
  AUTHORITY,
  MESSAGE_LIMIT_BYTES,
  QUESTION,
} from "../../sandbox/dns/operations.js";

export const MDNS_PORT = 5353;

/** RFC 6762 §10: TTL of records that name a host or hold its address. */
export const HOST_TTL_SECONDS = 120;

export const PROBE_INTERVAL_MS = 250;

/** RFC 6762 §6: random delay of answers that other hosts can also give. */
export const SHARED_DELAY_LOW_MS = 20;

export const SHARED_DELAY_HIGH_MS = 120;

// Numbers of the DNS wire format that multicast DNS uses (RFC 1035 §3.2, RFC 3596, RFC 2782, RFC 4034).

export const TYPE_A = 1;
export const TYPE_PTR = 12;
export const TYPE_TXT = 16;
export const TYPE_AAAA = 28;
export const TYPE_SRV = 33;
export const TYPE_NSEC = 47;
/** Matches every type (QTYPE `*`). */
export const TYPE_ANY = 255;

export const CLASS_IN = 1;
export const CLASS_ANY = 255;

export const FLAGS_QUERY = 0;
/** Response and authoritative answer (RFC 6762 §18.4). */
export const FLAGS_RESPONSE = 0x8400;
export const FLAG_TRUNCATED = 0x0200;

/** Sends messages. */
export interface Outlet {
  /** Sends to all hosts on the link. */
  multicast(message: Uint8Array): void;
  unicast(message: Uint8Array, to: Peer): void;
}

export interface Peer {
  readonly address: string;
  readonly port: number;
}

export interface ResourceRecord {
  readonly name: DomainName;
  readonly type: number;
  readonly ttlSeconds: number;
  /** A unique record: probed for, and announced with the cache-flush bit (RFC 6762 §2). Else shared. */
  readonly isUnique: boolean;
  readonly data: Uint8Array;
}

/** Opens the program for a reader and a writer. The caller closes it. */
export function openDns(sandbox: Sandbox): SandboxProgram {
  const program = sandbox.open("dns");
  program.begin(START, 0);
  return program;
}

/** Offset of the header's count of entries in the first section (RFC 1035 §4.1.1). */
const COUNTS_OFFSET = 4;

function uint16(memory: Uint8Array, at: number): number {
  return ((memory[at] as number) << 8) | (memory[at + 1] as number);
}

/**
 * A cursor over the questions and records of a message. One reader serves all datagrams, and one program has one
 * reader.
 */
export class DnsReader {
  readonly #program: SandboxProgram;
  #verdict = 0;

  /** Entry at the cursor: section, type, and the top bit of its class. */
  section = QUESTION;
  type = 0;
  /** In a record: cache flush. In a question: unicast answer requested. */
  hasTopBit = false;

  constructor(program: SandboxProgram) {
    this.#program = program;
  }

  /** Sets the names of our records; `concernsUs` and `rewind` use them. */
  setOurNames(names: Iterable<DomainName>): void {
    this.#program.begin(FORGET_NAMES, 0);
    for (const name of names) {
      this.#program.memory.set(name, OPERAND);
      this.#program.begin(ADD_NAME, 0);
    }
  }

  /**
   * Loads a copy of a message.
   * @returns false if it is malformed, exceeds a limit, or is not multicast DNS (RFC 6762 §18.3, §18.11)
   */
  load(bytes: Uint8Array): boolean {
    if (bytes.length > DATAGRAM_LIMIT_BYTES) return false;
    this.#program.memory.set(bytes, DATAGRAM);
    this.#verdict = this.#program.feed(bytes.length);
    return this.#verdict >= 0;
  }

  get id(): number {
    return uint16(this.#program.memory, DATAGRAM);
  }
  get isResponse(): boolean {
    return (this.#verdict & VERDICT_RESPONSE) !== 0;
  }
  /** More known answers follow in another message (RFC 6762 §7.2). */
  get isTruncated(): boolean {
    return (this.#verdict & VERDICT_TRUNCATED) !== 0;
  }
  /** Whether an entry has one of our names, or the message is a query of known answers alone. */
  get concernsUs(): boolean {
    return (this.#verdict & VERDICT_CONCERNS_US) !== 0;
  }
  /** Number of entries of a section, from the header. */
  count(section: number): number {
    return uint16(this.#program.memory, DATAGRAM + COUNTS_OFFSET + 2 * section);
  }

  /** Moves the cursor before the first entry. @param onlyOurs visit only the entries with our names */
  rewind(onlyOurs = false): void {
    this.#program.begin(REWIND, onlyOurs ? 1 : 0);
  }

  /** Moves the cursor to the next question or record. @returns false past the last one */
  next(): boolean {
    const entry = this.#program.finish();
    if (entry < 0) return false;
    this.section = entry >> ENTRY_SECTION_SHIFT;
    this.type = entry & 0xffff;
    this.hasTopBit = (entry & ENTRY_TOP_BIT) !== 0;
    return true;
  }

  /** Class without its top bit. */
  get classCode(): number {
    return this.#program.begin(READ_CLASS, 0);
  }
  /** 0 for a question. */
  get ttlSeconds(): number {
    return this.#program.begin(READ_TTL, 0);
  }

  /** Whether the entry's name is `name`. */
  nameIs(name: DomainName): boolean {
    this.#program.memory.set(name, OPERAND);
    return this.#program.begin(MATCH_NAME, 0) === 1;
  }

  /** An uncompressed copy of the entry's name. */
  copyName(): DomainName {
    const byteLength = this.#program.begin(COPY_NAME, 0);
    return this.#program.memory.slice(OPERAND, OPERAND + byteLength);
  }

  /** Length of the record's data, with names in it uncompressed. */
  get dataLength(): number {
    return this.#program.begin(DATA_LENGTH, 0);
  }

  /** Whether the record's data equals `data`, which is uncompressed. Names in it compare without case. */
  dataIs(data: Uint8Array): boolean {
    if (this.dataLength !== data.length) return false;
    for (let at = 0; at < data.length; at += OPERAND_LIMIT_BYTES) {
      const part = data.subarray(at, at + OPERAND_LIMIT_BYTES);
      this.#program.memory.set(part, OPERAND);
      if (this.#program.begin(MATCH_DATA | (part.length << 4), at) !== 1) return false;
    }
    return true;
  }

  /** A copy of the record's data, with names in it uncompressed (RFC 6762 §8.2). */
  copyData(): Uint8Array {
    const data = new Uint8Array(this.dataLength);
    for (let at = 0; at < data.length; at += OPERAND_LIMIT_BYTES) {
      const byteLength = this.#program.begin(COPY_DATA, at);
      data.set(this.#program.memory.subarray(OPERAND, OPERAND + byteLength), at);
    }
    return data;
  }
}

/** Variable parts of a written record. */
export interface RecordForm {
  readonly ttlSeconds: number;
  /** Sets the cache-flush bit (RFC 6762 §10.2). */
  readonly cacheFlush: boolean;
  /** Leaves the name in an SRV record uncompressed, as legacy resolvers need it (RFC 6762 §18.14). */
  readonly plainService?: boolean;
}

/** Writes one message at a time. One program has one writer. */
export class DnsWriter {
  readonly #program: SandboxProgram;

  constructor(program: SandboxProgram) {
    this.#program = program;
  }

  /** Starts a new message. */
  begin(id: number, flags: number): void {
    this.#program.begin(START_MESSAGE | (flags << 4), id);
  }

  /** Sets further flags in the current message. */
  addFlags(flags: number): void {
    this.#program.begin(ADD_FLAGS, flags);
  }

  /** Number of entries written to a section so far. */
  count(section: number): number {
    return uint16(this.#program.memory, MESSAGE + COUNTS_OFFSET + 2 * section);
  }

  /** A copy of the message so far. */
  get message(): Uint8Array {
    return this.#program.memory.slice(MESSAGE, MESSAGE + this.#program.begin(MESSAGE_LENGTH, 0));
  }

  /** Writes a question. @returns false if it does not fit */
  question(name: DomainName, type: number, wantsUnicast: boolean): boolean {
    this.#program.memory.set(name, OPERAND);
    return this.#program.begin(wantsUnicast ? WRITE_QUESTION | 16 : WRITE_QUESTION, type) === 1;
  }

  /**
   * Writes a record. Callers must write sections in order.
   * @param section any but {@link QUESTION}
   * @returns false if it does not fit
   */
  record(section: number, { name, type, data }: ResourceRecord, form: RecordForm): boolean {
    const byteLength = name.length + data.length;
    if (byteLength > OPERAND_LIMIT_BYTES) return false;
    this.#program.memory.set(name, OPERAND);
    this.#program.memory.set(data, OPERAND + name.length);
    const options = (form.cacheFlush ? RECORD_FLUSH : 0) | (form.plainService ? RECORD_PLAIN : 0);
    this.#program.begin(WRITE_RECORD | (section << 4) | options | (type << 8), form.ttlSeconds | 0);
    return this.#program.feed(byteLength) === 1;
  }
}
