/** Compares what the program `dns` reads and writes with dns-packet of npm. */
import { expect } from "vitest";
import type { DnsReader, DnsWriter } from "../../../../device/services/mdns/dns-message.js";
import { domainName } from "../../../../device/services/mdns/domain-name.js";
import { type Below, changedDatagram, random } from "./datagrams.js";
import { type Entry, readEntries, readWhole } from "./packet.js";

export const OUR_NAMES = [
  domainName("Console-1A2B", "local"),
  domainName("Console-1A2B", "_svc", "_tcp", "local"),
  domainName("_svc", "_tcp", "local"),
  domainName("console-1a2b", "LOCAL"),
];

/** Fails where `reader` and dns-packet do not agree about a datagram. @returns its entries if they accept it */
export function compareReading(reader: DnsReader, bytes: Uint8Array): Entry[] | undefined {
  const expected = readEntries(bytes);
  expect(reader.load(bytes)).toBe(expected !== undefined);
  if (!expected) return undefined;
  const header = Buffer.from(bytes);
  const counts = [0, 1, 2, 3].map((section) => header.readUInt16BE(4 + 2 * section));
  const isResponse = header[2] !== undefined && header[2] >= 0x80;
  expect([reader.id, reader.isResponse, reader.isTruncated, ...countsOf(reader)]).toEqual([
    ...[header.readUInt16BE(0), isResponse, (header.readUInt16BE(2) & 0x200) !== 0],
    ...counts,
  ]);
  for (const entry of expected) {
    expect(reader.next()).toBe(true);
    expect(entryText(entryOf(reader))).toBe(entryText(entry));
    compareMatches(reader, entry);
  }
  expect([reader.next(), reader.next()]).toEqual([false, false]);
  const ours = expected.filter(({ name }) => OUR_NAMES.some((other) => folded(other) === folded(name)));
  expect(reader.concernsUs).toBe(ours.length > 0 || (!isResponse && counts[0] === 0));
  const visited: string[] = [];
  for (reader.rewind(true); reader.next(); ) visited.push(entryText(entryOf(reader)));
  expect(visited).toEqual(ours.map(entryText));
  return expected;
}

function countsOf(counter: DnsReader | DnsWriter): number[] {
  return [0, 1, 2, 3].map((section) => counter.count(section));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

type Read = Omit<Entry, "name" | "data" | "dataName"> & {
  readonly name: Uint8Array;
  readonly data: Uint8Array;
};

function entryOf(reader: DnsReader): Read {
  const { section, type, classCode, hasTopBit, ttlSeconds } = reader;
  return {
    section,
    type,
    classCode,
    hasTopBit,
    ttlSeconds,
    name: reader.copyName(),
    data: reader.copyData(),
  };
}

function entryText({ section, type, classCode, hasTopBit, ttlSeconds, name, data }: Read): string {
  return [section, type, classCode, hasTopBit, ttlSeconds, hex(name), hex(data)].join(" ");
}

/** Names that differ in the case of ASCII letters are one; the lengths of labels are below any letter. */
function folded(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return hex(
    bytes.map((byte, at) => (at >= from && at < to && byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte)),
  );
}

/** Whether the entry of `reader` has names and data that are its own, its own with changes, or ours. */
function compareMatches(reader: DnsReader, { section, name, data, dataName }: Entry): void {
  const otherCase = name.map((byte) => (byte >= 0x61 ? byte ^ 0x20 : byte));
  const names = [...OUR_NAMES, name, otherCase, name.subarray(-1)];
  expect(names.map((other) => reader.nameIs(other))).toEqual(
    names.map((other) => folded(other) === folded(name)),
  );
  if (section === 0) return;
  // A change of the last letter's case keeps names well-formed.
  const changed = data.map((byte, index) => (index === data.length - 2 && byte >= 0x41 ? byte ^ 0x20 : byte));
  const fold = (bytes: Uint8Array) => folded(bytes, dataName.from, dataName.to);
  const others = [data, changed, Uint8Array.of(...data, 0)];
  expect(others.map((other) => reader.dataIs(other))).toEqual(
    others.map((other) => fold(other) === fold(data)),
  );
}

/** The ends of names that the writer remembers, so that later names point to them. */
const SUFFIX_LIMIT = 48;
const MESSAGE_LIMIT_BYTES = 1472;

/** The length of a message whose names are compressed as far as possible. */
class Lengths {
  byteLength = 12;
  #suffixes: string[] = [];

  /** @returns whether an entry fits with `names`, of which some stay whole, and `byteLength` other bytes */
  add(
    names: readonly { readonly name: Uint8Array; readonly isPlain?: boolean }[],
    byteLength: number,
  ): boolean {
    const before = [...this.#suffixes];
    let total = byteLength;
    for (const { name, isPlain } of names) total += this.#lengthOf(name, isPlain ?? false);
    const fits = this.byteLength + total <= MESSAGE_LIMIT_BYTES;
    if (fits) this.byteLength += total;
    else this.#suffixes = before;
    return fits;
  }

  #lengthOf(name: Uint8Array, isPlain: boolean): number {
    const added: string[] = [];
    let at = 0;
    while (name[at] !== 0) {
      const suffix = folded(name.subarray(at));
      if (!isPlain && this.#suffixes.includes(suffix)) break;
      added.push(suffix);
      at += 1 + (name[at] as number);
    }
    this.#suffixes.push(...added.slice(0, SUFFIX_LIMIT - this.#suffixes.length));
    return name[at] === 0 ? at + 1 : at + 2;
  }
}

/** Writes entries with options of chance, and fails where dns-packet does not read them, in as few bytes as they need. */
function compareWriting(writer: DnsWriter, entries: readonly Entry[], below: Below): void {
  const lengths = new Lengths();
  const written: string[] = [];
  const counts = [0, 0, 0, 0];
  const id = below(0x10000);
  writer.begin(id, 0x8400);
  for (const { section, type, ttlSeconds, name, data, dataName } of entries) {
    const options = below(4);
    const hasTopBit = options < 2;
    const plainService = options % 2 === 0;
    const target = dataName.to > dataName.from ? [data.subarray(dataName.from, dataName.to)] : [];
    const isPlain = plainService && type === 33;
    const names = [{ name }, ...target.map((name) => ({ name, isPlain }))];
    const rest = section === 0 ? 4 : 10 + data.length - (dataName.to - dataName.from);
    const fits = lengths.add(names, rest);
    const form = { ttlSeconds, cacheFlush: hasTopBit, plainService };
    const record = { name, type, ttlSeconds, isUnique: false, data };
    const isWritten =
      section === 0 ? writer.question(name, type, hasTopBit) : writer.record(section, record, form);
    expect(isWritten).toBe(fits);
    if (!fits) continue;
    counts[section] = (counts[section] as number) + 1;
    written.push(writtenText({ section, type, classCode: 1, hasTopBit, ttlSeconds, name, data, dataName }));
  }
  const flags = below(2) === 0 ? 0x200 : 0;
  if (flags !== 0) writer.addFlags(flags);
  const message = Buffer.from(writer.message);
  expect(message.readUInt32BE(0)).toBe(id * 0x10000 + 0x8400 + flags);
  expect(countsOf(writer)).toEqual(counts);
  expect(readEntries(message)?.map(writtenText)).toEqual(written);
  expect(message.length).toBe(lengths.byteLength);
}

/** A name may be written as a pointer to the same in other letters. */
function writtenText(entry: Entry): string {
  const { name, data, dataName } = entry;
  const rest = entryText({ ...entry, name: Buffer.alloc(0), data: Buffer.alloc(0) });
  return [rest, folded(name), folded(data, dataName.from, dataName.to)].join(" ");
}

/** @returns whether dns-packet reads the message too, and both check all of it */
function compareWhole(entries: readonly Entry[], bytes: Uint8Array): boolean {
  const whole = readWhole(bytes);
  if (!whole) return false;
  expect(entries).toMatchObject(whole);
  return true;
}

/** Compares `count` changed datagrams in all ways. @returns how many were accepted, and by dns-packet too */
export function compareChanged(reader: DnsReader, writer: DnsWriter, count: number, seed: number): number[] {
  const below = random(seed);
  reader.setOurNames(OUR_NAMES);
  let accepted = 0;
  let packed = 0;
  for (let round = 0; round < count; round++) {
    const bytes = changedDatagram(below);
    try {
      const entries = compareReading(reader, bytes);
      if (!entries) continue;
      accepted++;
      if (compareWhole(entries, bytes)) packed++;
      compareWriting(writer, entries, below);
    } catch (error) {
      throw new Error(`seed ${seed}, round ${round}: ${hex(bytes)}`, { cause: error });
    }
  }
  return [accepted, packed];
}
