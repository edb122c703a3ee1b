/** The program `dns` reads and writes what dns-packet reads, and its work per datagram has a limit. */
import { expect, test } from "vitest";
import { DnsReader, DnsWriter, openDns } from "../../../../device/services/mdns/dns-message.js";
import { domainName } from "../../../../device/services/mdns/domain-name.js";
import { query, response } from "../../services/mdns/dns-messages.js";
import { sandbox } from "../../services/mdns/dns-program.js";
import { compareChanged, compareReading, OUR_NAMES } from "./comparison.js";
import { changedDatagram, HOSTILE, random, slowNames } from "./datagrams.js";
import { openInTypeScript } from "./typescript-program.js";

const COUNT = 2000;
const SEED = Math.floor(Math.random() * 2 ** 32);

/** Bytes of memory that the program may read for a datagram: 256 entries with two names, and 1024 bytes of our names. */
const READ_LIMIT = 700_000;

test(`agrees with dns-packet about ${COUNT} changed datagrams, seed ${SEED}`, () => {
  const program = openDns(sandbox);
  const [accepted = 0, packed = 0] = compareChanged(
    new DnsReader(program),
    new DnsWriter(program),
    COUNT,
    SEED,
  );
  expect(accepted).toBeGreaterThan(COUNT / 4);
  expect(packed).toBeGreaterThan(COUNT / 8);
});

test(`agrees as TypeScript too, within its memory, seed ${SEED}`, () => {
  const program = openInTypeScript();
  compareChanged(new DnsReader(program), new DnsWriter(program), COUNT / 4, SEED);
});

test("agrees about hostile datagrams", () => {
  const program = openDns(sandbox);
  const reader = new DnsReader(program);
  reader.setOurNames(OUR_NAMES);
  const accepted = HOSTILE.map((bytes) => compareReading(reader, bytes) !== undefined);
  expect(accepted).toEqual([true, false, false, false, false, false, true, true, true, false, false]);
});

test("tells messages with our names from others", () => {
  const reader = new DnsReader(openDns(sandbox));
  const concerns = (bytes: Uint8Array) => reader.load(bytes) && reader.concernsUs;
  expect(concerns(query("_svc._tcp.local PTR"))).toBe(false);
  reader.setOurNames([domainName("_svc", "_tcp", "local")]);
  expect(concerns(query("_http._tcp.local PTR", "_SVC._tcp.local PTR"))).toBe(true);
  expect(concerns(query("svc._tcp.local PTR", "_svc._tcp.local.x PTR", "_svc._tcp PTR"))).toBe(false);
  expect(concerns(response("x.local A 10.0.0.1 120"))).toBe(false);
  reader.setOurNames([]);
  expect(concerns(query("_svc._tcp.local PTR"))).toBe(false);
});

test("takes every message as ours once our names do not fit its memory", () => {
  const reader = new DnsReader(openDns(sandbox));
  const names = Array.from({ length: 6 }, (_, index) =>
    domainName(...Array<string>(3).fill(`${index}`.repeat(63)), "local"),
  );
  const concerns = () => reader.load(query("_http._tcp.local PTR")) && reader.concernsUs;
  reader.setOurNames([...names.slice(0, 5), ...names.slice(0, 5)]);
  expect(concerns()).toBe(false);
  reader.setOurNames(names);
  expect(concerns()).toBe(true);
});

/** Counts the bytes that the program reads as TypeScript. */
function readsOf(act: () => void): number {
  const { getUint8, getUint16 } = DataView.prototype;
  let reads = 0;
  try {
    DataView.prototype.getUint8 = function (at) {
      reads++;
      return getUint8.call(this, at);
    };
    DataView.prototype.getUint16 = function (at, isLittleEndian) {
      reads++;
      return getUint16.call(this, at, isLittleEndian);
    };
    act();
  } finally {
    Object.assign(DataView.prototype, { getUint8, getUint16 });
  }
  return reads;
}

test("does a bounded amount of work for any datagram", () => {
  const reader = new DnsReader(openInTypeScript());
  const slow = slowNames();
  expect(reader.load(slow)).toBe(true);
  // Names as long as those in the message, which differ in the last label: the slowest to compare.
  reader.next();
  const name = reader.copyName();
  reader.setOurNames(
    [0x76, 0x77, 0x78, 0x79].map((letter) => Uint8Array.of(...name.slice(0, -2), letter, 0)),
  );
  const below = random(SEED);
  const datagrams = [slow, ...HOSTILE, ...Array.from({ length: 200 }, () => changedDatagram(below))];
  const reads = datagrams.map((bytes) => readsOf(() => reader.load(bytes)));
  expect(reads[0]).toBeGreaterThan(READ_LIMIT / 2);
  expect(Math.max(...reads)).toBeLessThan(READ_LIMIT);
});
