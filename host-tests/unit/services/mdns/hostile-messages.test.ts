/** Arbitrary messages from the network: nothing throws, nothing loops, and the number of answers is bounded. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mdnsJs } from "../../../../device/mdns-js/mdns-js.js";
import { RecordCache } from "../../../../device/mdns-js/record-cache.js";
import { RandomDelay } from "../../../../device/services/mdns/resource-record.js";
import { tcp } from "../../../../device/services/mdns/service-type.js";
import { trappingSandbox } from "../../../hosts/trapping-sandbox.js";
import { query, response, writeMessage } from "./dns-messages.js";
import { newReader, sandbox } from "./dns-program.js";
import { announcedConsole, consoleOn, EmulatedLink, STRANGER } from "./emulated-link.js";

const HOST = "Console-1A2B.local";
const INSTANCE = "Console-1A2B._svc._tcp.local";
const POINTER = `_svc._tcp.local PTR ${INSTANCE} 4500`;

const SEEDS = [
  query("_svc._tcp.local PTR QU", `${INSTANCE} ANY`, `${HOST} A`),
  writeMessage({ isTruncated: true, questions: ["_svc._tcp.local PTR"], answers: [POINTER] }),
  writeMessage({ questions: [`${INSTANCE} ANY`], authorities: [`${INSTANCE} SRV x.local:1 120`] }),
  response(
    POINTER,
    `${INSTANCE} SRV ${HOST}:8080 120 flush`,
    `${INSTANCE} TXT a=b 4500`,
    `${HOST} A 10.0.0.7 120`,
  ),
  response(`${HOST} AAAA fe80::1 120`, `${HOST} NSEC A,AAAA,TXT 120 flush`, `${INSTANCE} TXT x 0`),
];

const seed = fc.constantFrom(...SEEDS);
const anything = fc.uint8Array({ maxLength: 600 });
const afterHeader = fc
  .tuple(fc.constantFrom(0, 0x80, 0x84, 0x02), fc.uint8Array({ minLength: 4, maxLength: 4 }), anything)
  .map(([flags, counts, rest]) =>
    Uint8Array.of(0, 0, flags, 0, ...[...counts].flatMap((count) => [0, count]), ...rest),
  );
const mutated = fc
  .tuple(seed, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }))
  .map(([message, changes]) => {
    const copy = message.slice();
    for (const [at, byte] of changes) copy[at % copy.length] = byte;
    return copy;
  });
const cut = fc.tuple(seed, fc.nat()).map(([message, length]) => message.slice(0, length % message.length));
const datagram = fc.oneof(anything, afterHeader, mutated, cut, seed);

test("records of maximum length are remembered up to 16 KiB, including their names", () => {
  const delay = new RandomDelay({ getRandomValues: (bytes) => bytes });
  const cache = new RecordCache({ delay, hasRoomToStay: () => true });
  const reader = newReader();
  for (let at = 0; at < 40; at++) {
    const text = `${at}`.padEnd(200, "x");
    reader.load(response(`${at}.local TXT ${Array(6).fill(text).join(";")} 4500`));
    while (reader.next()) cache.put(reader, "", 0);
  }
  const bytes = cache.ofType(16).map(({ name, data }) => name.length + data.length);
  const total = bytes.reduce((sum, byteLength) => sum + byteLength, 0);
  expect(total).toBeLessThanOrEqual(16 * 1024);
  expect(total).toBeGreaterThan(14 * 1024);
});

test("a fault of the reader's program drops a message, is logged, and does not keep the next one from its answer", () => {
  const trapping = trappingSandbox(sandbox);
  const { link, log } = announcedConsole({ sandbox: trapping });
  trapping.trapNext();
  link.send(query("_svc._tcp.local PTR"), STRANGER);
  expect(link.pass(10_000)).toEqual([]);
  expect(log.lines).toContainEqual(
    expect.stringContaining("A message was dropped: Error: the program has trapped"),
  );
  link.send(query("_svc._tcp.local PTR"), STRANGER);
  expect(link.pass(10_000)).not.toEqual([]);
});

describe("hostile messages", () => {
  test("are read or rejected, and read completely if not rejected", () => {
    const reader = newReader();
    fc.assert(
      fc.property(datagram, (bytes) => {
        if (!reader.load(bytes)) return;
        for (let entries = 0; reader.next(); entries++) {
          expect(entries).toBeLessThan(bytes.length);
          expect(reader.copyName().length).toBeLessThanOrEqual(255);
          if (reader.section !== 0) expect(reader.dataIs(reader.copyData())).toBe(true);
        }
      }),
      { numRuns: 5000 },
    );
  });

  test("do not stop a console from answering, and cause few messages", () => {
    const { link, mdns } = announcedConsole();
    const browser = mdnsJs(mdns).createBrowser(tcp("svc"));
    browser.on("ready", () => browser.discover());
    fc.assert(
      fc.property(fc.array(datagram, { maxLength: 10 }), (datagrams) => {
        for (const bytes of datagrams) link.send(bytes, STRANGER);
        const sent = link.pass(1000);
        for (const { bytes } of sent) expect(bytes.length).toBeLessThanOrEqual(1472);
        // One unicast answer a datagram; multicast is bounded by the second that each record waits.
        expect(sent.length).toBeLessThanOrEqual(datagrams.length + 20);
      }),
      { numRuns: 500 },
    );
    link.pass(60_000);
    link.send(query("_services._dns-sd._udp.local PTR"), STRANGER);
    expect(
      link.pass(2000).some(({ answers }) => answers.some((record) => record.includes("_svc._tcp"))),
    ).toBe(true);
  });

  test("do not stop a probing console from getting a name", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(1500), datagram), { maxLength: 10 }), (datagrams) => {
        const link = new EmulatedLink();
        const { advertisement, log } = consoleOn(link);
        advertisement.start();
        for (const [atMs, bytes] of datagrams) link.clock.set(() => link.send(bytes, STRANGER), atMs);
        link.pass(60_000);
        expect(log.lines).toContain(`Advertising ${advertisement.alias}`);
      }),
      { numRuns: 300 },
    );
  });

  test("truncated to any length are dropped", () => {
    for (const message of SEEDS)
      for (let length = 0; length < message.length; length++)
        expect(newReader().load(message.subarray(0, length))).toBe(false);
  });

  test("of 9000 bytes full of pointers are handled quickly", () => {
    // Records of the root name whose data is a chain of pointers, each one step longer.
    const bytes = new Uint8Array(9000);
    bytes.set([0, 0, 0x84, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0]);
    for (let at = 14; at + 2 <= 9000; at += 2) bytes.set([0xc0 | ((at - 2) >> 8), (at - 2) & 0xff], at);
    expect(newReader().load(bytes)).toBe(false);
  });

  test("with more than 64 questions, or 256 entries in all, are not read", () => {
    const questions = (count: number) => Array<string>(count).fill("x.local A");
    const answers = (count: number) => Array<string>(count).fill("x.local A 10.0.0.1 120");
    const reads = (asked: number, told: number) =>
      newReader().load(writeMessage({ questions: questions(asked), answers: answers(told) }));
    expect([reads(64, 192), reads(65, 0), reads(64, 193), reads(0, 257)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test("in any order at any time leave no timer that spins", () => {
    const { link } = announcedConsole();
    for (const message of [...SEEDS, ...SEEDS]) link.send(message, STRANGER);
    link.pass(20_000);
    expect(link.pass(60_000)).toEqual([]);
    expect(link.clock.timerCount).toBe(0);
  });
});
