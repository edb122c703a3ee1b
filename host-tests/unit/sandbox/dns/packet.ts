/**
 * What dns-packet of npm reads in a datagram. It reads names exactly, and the layout of well-formed messages; of what is
 * malformed it misses much, so {@link readEntries} walks the entries itself and knows the rules that are ours alone.
 */
import { createRequire } from "node:module";

interface Packet {
  readonly questions: readonly PacketEntry[];
  readonly answers: readonly PacketEntry[];
  readonly authorities: readonly PacketEntry[];
  readonly additionals: readonly PacketEntry[];
}

interface PacketEntry {
  readonly name: string;
  readonly type: string;
  readonly flush?: boolean;
  readonly ttl?: number;
  readonly data?: unknown;
}

const packets = createRequire(import.meta.url)("dns-packet") as {
  readonly name: { decode: ((bytes: Buffer, offset: number) => string) & { bytes: number } };
  decode(bytes: Buffer): Packet;
};

/** A question or record. A question has no data, and its time to live is 0. */
export interface Entry {
  readonly section: number;
  readonly type: number;
  readonly classCode: number;
  readonly hasTopBit: boolean;
  readonly ttlSeconds: number;
  readonly name: Buffer;
  /** With the name in it uncompressed. */
  readonly data: Buffer;
  /** Where that name is; nowhere if both are equal. */
  readonly dataName: { readonly from: number; readonly to: number };
}

const A = 1;
const TXT = 16;
const AAAA = 28;
const NSEC = 47;
/** Where the name is in the data of NS, CNAME, PTR, SRV and NSEC. */
const NAME_IN_DATA: ReadonlyMap<number, number> = new Map([
  [2, 0],
  [5, 0],
  [12, 0],
  [33, 6],
  [NSEC, 0],
]);

/** A copy whose text is hexadecimal, so that dns-packet's names tell every byte, and dots are between labels only. */
function hexadecimal(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  copy.toString = (_encoding, from, to) => Buffer.prototype.toString.call(copy, "hex", from, to);
  return copy;
}

/** A name of dns-packet in wire form. */
function wireName(text: string): Buffer {
  const labels = text === "." ? [] : text.split(".").map((label) => Buffer.from(label, "hex"));
  return Buffer.concat([
    ...labels.flatMap((label) => [Uint8Array.of(label.length), label]),
    new Uint8Array(1),
  ]);
}

/** @returns the entries of a message, `undefined` for one that is not to be accepted */
export function readEntries(bytes: Uint8Array): Entry[] | undefined {
  if (bytes.length < 12 || bytes.length > 9000) return undefined;
  const wire = hexadecimal(bytes);
  const counts = [4, 6, 8, 10].map((at) => wire.readUInt16BE(at));
  // dns-packet reads any operation, any response code, and any number of entries.
  if ((wire.readUInt16BE(2) & 0x780f) !== 0) return undefined;
  if (counts.reduce((sum, count) => sum + count) > 256 || (counts[0] as number) > 64) return undefined;
  const entries: Entry[] = [];
  let at = 12;
  try {
    for (const [section, count] of counts.entries())
      for (let left = count; left > 0; left--) {
        const { entry, end } = readEntry(wire, at, section);
        entries.push(entry);
        at = end;
      }
  } catch {
    return undefined; // dns-packet or Buffer went past the end, or one of ours
  }
  return entries;
}

function readEntry(wire: Buffer, at: number, section: number): { entry: Entry; end: number } {
  const owner = readName(wire, at);
  const type = wire.readUInt16BE(owner.end);
  const classField = wire.readUInt16BE(owner.end + 2);
  const head = { section, type, classCode: classField & 0x7fff, hasTopBit: classField >= 0x8000 };
  const { name } = owner;
  if (section === 0) {
    const entry = { ...head, name, ttlSeconds: 0, data: Buffer.alloc(0), dataName: { from: 0, to: 0 } };
    return { entry, end: owner.end + 4 };
  }
  const ttl = wire.readUInt32BE(owner.end + 4);
  const from = owner.end + 10;
  const end = from + wire.readUInt16BE(owner.end + 8);
  requireThat(end <= wire.length);
  // RFC 2181 §8: a TTL with its top bit set counts as 0.
  return {
    entry: { ...head, name, ttlSeconds: ttl > 0x7fffffff ? 0 : ttl, ...readData(wire, type, from, end) },
    end,
  };
}

function readData(wire: Buffer, type: number, from: number, end: number): Pick<Entry, "data" | "dataName"> {
  const nameAt = NAME_IN_DATA.get(type);
  if (nameAt === undefined) {
    if (type === A) requireThat(end - from === 4);
    if (type === AAAA) requireThat(end - from === 16);
    if (type === TXT) {
      let at = from;
      while (at < end) at += 1 + wire.readUInt8(at);
      requireThat(at === end);
    }
    return { data: Buffer.from(wire.subarray(from, end)), dataName: { from: 0, to: 0 } };
  }
  requireThat(from + nameAt < end);
  const target = readName(wire, from + nameAt);
  if (type === NSEC) requireWindows(wire, target.end, end);
  else requireThat(target.end === end);
  const parts = [wire.subarray(from, from + nameAt), target.name, wire.subarray(target.end, end)];
  return { data: Buffer.concat(parts), dataName: { from: nameAt, to: nameAt + target.name.length } };
}

/** RFC 4034 §4.1.2: each window has a number, a length from 1 to 32, and that many bytes. */
function requireWindows(wire: Buffer, from: number, end: number): void {
  let at = from;
  while (at < end) {
    const length = wire.readUInt8(at + 1);
    requireThat(length >= 1 && length <= 32);
    at += 2 + length;
  }
  requireThat(at === end);
}

/** Reads as dns-packet does, which follows any number of pointers. */
function readName(wire: Buffer, at: number): { name: Buffer; end: number } {
  const name = wireName(packets.name.decode(wire, at));
  const end = at + packets.name.decode.bytes;
  let pointers = 0;
  for (let next = at; wire[next] !== 0; )
    if (wire.readUInt8(next) < 0xc0) next += 1 + wire.readUInt8(next);
    else {
      next = wire.readUInt16BE(next) & 0x3fff;
      pointers++;
    }
  requireThat(pointers <= 10);
  return { name, end };
}

function requireThat(isRight: boolean): void {
  if (!isRight) throw new RangeError("not to be accepted");
}

const TYPE_NAMES: Readonly<Record<string, number>> = {
  A,
  NS: 2,
  CNAME: 5,
  PTR: 12,
  TXT,
  AAAA,
  SRV: 33,
  NSEC,
};

/**
 * The entries of a message as dns-packet reads it whole; without data for types of which it returns no bytes.
 * @returns `undefined` if it rejects the message, or there are types of which both do not check the same
 */
export function readWhole(bytes: Uint8Array): object[] | undefined {
  let packet: Packet;
  try {
    packet = packets.decode(hexadecimal(bytes));
  } catch {
    return undefined;
  }
  const { questions, answers, authorities, additionals } = packet;
  const records = [answers, authorities, additionals].flatMap((entries, index) =>
    entries.map((entry) => ({ ...entry, section: index + 1 })),
  );
  if (!records.every(({ type }) => type in TYPE_NAMES)) return undefined;
  return [
    ...questions.map(({ name }) => ({ section: 0, name: wireName(name) })),
    ...records.map(({ section, name, type, flush, ttl = 0, data }) => {
      const bytes = dataBytes(type, data);
      const ttlSeconds = ttl > 0x7fffffff ? 0 : ttl;
      const entry = { section, name: wireName(name), type: TYPE_NAMES[type], hasTopBit: flush, ttlSeconds };
      return bytes ? { ...entry, data: bytes } : entry;
    }),
  ];
}

interface ServiceTarget {
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  readonly target: string;
}

function dataBytes(type: string, data: unknown): Buffer | undefined {
  switch (type) {
    case "A":
      return Buffer.from((data as string).split(".").map(Number));
    case "NS":
    case "CNAME":
    case "PTR":
      return wireName(data as string);
    case "TXT":
      return Buffer.concat((data as Buffer[]).flatMap((text) => [Uint8Array.of(text.length), text]));
    case "SRV": {
      const { priority, weight, port, target } = data as ServiceTarget;
      const numbers = [priority, weight, port].flatMap((number) => [number >> 8, number & 255]);
      return Buffer.concat([Uint8Array.from(numbers), wireName(target)]);
    }
    default:
      return undefined;
  }
}
