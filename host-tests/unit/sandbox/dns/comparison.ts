/** Compares the program `dns` with the reader and writer in TypeScript, and what it reads with dns-packet of npm. */
import { createRequire } from "node:module";
import { expect } from "vitest";
import type { DnsReader, DnsWriter } from "../../../../device/services/mdns/dns-message.js";
import { domainName, nameText } from "../../../../device/services/mdns/domain-name.js";
import {
  DnsReader as ReferenceReader,
  DnsWriter as ReferenceWriter,
} from "../../../reference/dns/dns-message.js";
import { type Below, changedDatagram, random } from "./datagrams.js";

export const OUR_NAMES = [
  domainName("Console-1A2B", "local"),
  domainName("Console-1A2B", "_svc", "_tcp", "local"),
  domainName("_svc", "_tcp", "local"),
  domainName("console-1a2b", "LOCAL"),
];

const reference = new ReferenceReader();
const referenceWriter = new ReferenceWriter();

/** Fails where `reader` and the reference do not agree about a datagram. @returns whether they accept it */
export function compareReading(reader: DnsReader, bytes: Uint8Array): boolean {
  const isAccepted = reference.load(bytes);
  expect(reader.load(bytes)).toBe(isAccepted);
  if (!isAccepted) return false;
  expect(headerOf(reader)).toEqual(headerOf(reference));
  const entries: unknown[] = [];
  const expected: unknown[] = [];
  const ours: string[] = [];
  while (reference.next()) {
    const entry = entryOf(reference);
    expected.push(entry, matchesOf(reference, reference));
    entries.push(reader.next() && entryOf(reader), matchesOf(reader, reference));
    if (OUR_NAMES.some((name) => reference.nameIs(name))) ours.push(entry);
  }
  expect(entries.join("\n")).toBe(expected.join("\n"));
  expect([reader.next(), reader.next()]).toEqual([false, false]);
  const isKnownAnswers = !reference.isResponse && reference.count(0) === 0;
  expect(reader.concernsUs).toBe(ours.length > 0 || isKnownAnswers);
  const visited: string[] = [];
  for (reader.rewind(true); reader.next(); ) visited.push(entryOf(reader));
  expect(visited).toEqual(ours);
  return true;
}

type AnyReader = DnsReader | ReferenceReader;

function headerOf(reader: AnyReader): unknown[] {
  return [
    reader.id,
    reader.isResponse,
    reader.isTruncated,
    ...[0, 1, 2, 3].map((section) => countOf(reader, section)),
  ];
}

function countOf(reader: AnyReader, section: number): number {
  return reader.count(section as 0 | 1 | 2 | 3);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function entryOf(reader: AnyReader): string {
  const { section, type, classCode, hasTopBit, ttlSeconds } = reader;
  const data = section === 0 ? "" : hex(reader.copyData());
  return [section, type, classCode, hasTopBit, ttlSeconds, hex(reader.copyName()), data].join(" ");
}

/** Whether the entry of `reader` has names and data that are its own, its own with changes, or ours. */
function matchesOf(reader: AnyReader, from: ReferenceReader): boolean[] {
  const name = from.copyName();
  const names = [...OUR_NAMES, name, name.map((byte) => (byte >= 0x61 ? byte ^ 0x20 : byte)), name.slice(-1)];
  const matches = names.map((other) => reader.nameIs(other));
  if (from.section === 0) return matches;
  const data = from.copyData();
  // A change of the last letter's case keeps names well-formed.
  const changed = data.map((byte, index) => (index === data.length - 2 && byte >= 0x41 ? byte ^ 0x20 : byte));
  return [...matches, ...[data, changed, new Uint8Array([...data, 0])].map((other) => reader.dataIs(other))];
}

/**
 * Writes the entries of the message in the reference reader again, with options of chance, and fails where the two
 * writers do not agree about a byte.
 */
export function compareWriting(writer: DnsWriter, below: Below): void {
  const results: boolean[] = [];
  const expected: boolean[] = [];
  for (const each of [writer, referenceWriter]) each.begin(reference.id, 0x8400);
  for (reference.rewind(); reference.next(); ) {
    const { section, type, ttlSeconds } = reference;
    const name = reference.copyName();
    const options = below(4);
    if (section === 0) {
      results.push(writer.question(name, type, options < 2));
      expected.push(referenceWriter.question(name, type, options < 2));
      continue;
    }
    const record = { name, type, ttlSeconds, isUnique: false, data: reference.copyData() };
    const form = { ttlSeconds, cacheFlush: options < 2, plainService: options % 2 === 0 };
    results.push(writer.record(section, record, form));
    expected.push(referenceWriter.record(section, record, form));
  }
  expect(results).toEqual(expected);
  if (below(2) === 0) for (const each of [writer, referenceWriter]) each.addFlags(0x200);
  expect([0, 1, 2, 3].map((section) => writer.count(section))).toEqual(
    ([0, 1, 2, 3] as const).map((section) => referenceWriter.count(section)),
  );
  expect(hex(writer.message)).toBe(hex(referenceWriter.message));
}

interface Packet {
  readonly questions: readonly PacketEntry[];
  readonly answers: readonly PacketEntry[];
  readonly authorities: readonly PacketEntry[];
  readonly additionals: readonly PacketEntry[];
}

interface PacketEntry {
  readonly name: string;
  readonly type: string;
  readonly ttl?: number;
}

const packets = createRequire(import.meta.url)("dns-packet") as { decode(bytes: Uint8Array): Packet };

/** Types of whose data both check the length. */
const CHECKED_TYPES = ["A", "NS", "CNAME", "PTR", "TXT", "AAAA", "SRV", "NSEC"];

/** Names whose text says where their labels end, and which characters are in them. */
const PLAIN_NAME = /^[ -~]*$/;

/**
 * Fails where dns-packet reads other names or times in the message of `reader`. It writes an empty name as `.`.
 * @returns whether it accepts the message, and both check all of it
 */
export function compareWithPacket(reader: DnsReader, bytes: Uint8Array): boolean {
  let packet: Packet;
  try {
    packet = packets.decode(Buffer.from(bytes));
  } catch {
    return false;
  }
  const records = [...packet.answers, ...packet.authorities, ...packet.additionals];
  if (!records.every(({ type }) => CHECKED_TYPES.includes(type))) return false;
  const theirs = [...packet.questions, ...records];
  const entries: unknown[] = [];
  const expected: unknown[] = [];
  reader.rewind();
  for (const { name, ttl = 0 } of theirs) {
    const isThere = reader.next();
    const ours = nameText(reader.copyName());
    entries.push([isThere, PLAIN_NAME.test(ours) && (ours || "."), reader.ttlSeconds]);
    expected.push([true, PLAIN_NAME.test(ours) && name, ttl > 0x7fffffff ? 0 : ttl]);
  }
  expect(entries).toEqual(expected);
  expect(reader.next()).toBe(false);
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
      if (!compareReading(reader, bytes)) continue;
      accepted++;
      if (compareWithPacket(reader, bytes)) packed++;
      compareWriting(writer, below);
    } catch (error) {
      throw new Error(`seed ${seed}, round ${round}: ${hex(bytes)}`, { cause: error });
    }
  }
  return [accepted, packed];
}
