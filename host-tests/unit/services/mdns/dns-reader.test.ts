import { describe, expect, test } from "vitest";
import {
  ADDITIONAL,
  ANSWER,
  type DnsReader,
  QUESTION,
  TYPE_A,
  TYPE_PTR,
  TYPE_SRV,
} from "../../../../device/services/mdns/dns-message.js";
import { domainName, nameText } from "../../../../device/services/mdns/domain-name.js";
import { serviceRecord } from "../../../../device/services/mdns/resource-record.js";
import { query, readMessage, response, writeMessage } from "./dns-messages.js";
import { newReader } from "./dns-program.js";

const MESSAGE = writeMessage({
  id: 7,
  isResponse: true,
  questions: ["_svc._tcp.local PTR"],
  answers: ["_svc._tcp.local PTR Console-1A2B._svc._tcp.local 4500"],
  additionals: [
    "Console-1A2B._svc._tcp.local SRV Console-1A2B.local:8080 120 flush",
    "Console-1A2B._svc._tcp.local TXT fw=1.0.0;api=v1 4500 flush",
    "Console-1A2B.local A 10.0.0.1 120 flush",
    "Console-1A2B.local AAAA fe80::1 120 flush",
    "Console-1A2B.local NSEC A,AAAA 120 flush",
  ],
});

function loaded(bytes: Uint8Array): DnsReader {
  const reader = newReader();
  expect(reader.load(bytes)).toBe(true);
  return reader;
}

/** Header of a response with counts of questions and answers. */
const header = (questions: number, answers: number) => [0, 0, 0x84, 0, 0, questions, 0, answers, 0, 0, 0, 0];
const loads = (...bytes: number[]) => newReader().load(Uint8Array.from(bytes));

describe("DnsReader", () => {
  test("returns questions and records in their order", () => {
    const reader = loaded(MESSAGE);
    const entries: string[] = [];
    while (reader.next()) entries.push(`${reader.section} ${reader.type} ${nameText(reader.copyName())}`);
    expect(entries).toEqual([
      "0 12 _svc._tcp.local",
      "1 12 _svc._tcp.local",
      "3 33 Console-1A2B._svc._tcp.local",
      "3 16 Console-1A2B._svc._tcp.local",
      "3 1 Console-1A2B.local",
      "3 28 Console-1A2B.local",
      "3 47 Console-1A2B.local",
    ]);
  });

  test("returns header, class bits and time to live", () => {
    const reader = loaded(MESSAGE);
    expect([reader.id, reader.isResponse, reader.isTruncated]).toEqual([7, true, false]);
    expect([reader.count(QUESTION), reader.count(ANSWER), reader.count(ADDITIONAL)]).toEqual([1, 1, 5]);
    while (reader.next()) if (reader.type === TYPE_A) break;
    expect([reader.classCode, reader.hasTopBit, reader.ttlSeconds]).toEqual([1, true, 120]);
  });

  test("recognizes a question for a unicast answer", () => {
    const reader = loaded(query("a.local A QU"));
    expect([reader.next(), reader.hasTopBit, reader.classCode]).toEqual([true, true, 1]);
  });

  test("compares data without the case of names in it", () => {
    const reader = loaded(response("x.local SRV CONSOLE.local:8080 120"));
    reader.next();
    const name = domainName("x", "local");
    expect(reader.type).toBe(TYPE_SRV);
    expect(reader.dataIs(serviceRecord(name, domainName("console", "local"), 8080).data)).toBe(true);
    expect(reader.dataIs(serviceRecord(name, domainName("console", "local"), 8081).data)).toBe(false);
    expect(reader.dataIs(serviceRecord(name, domainName("other", "local"), 8080).data)).toBe(false);
  });

  test("copies data with its names uncompressed", () => {
    // Owner "a.local" at 12; the pointer's target is a pointer to it.
    const owner = [1, 0x61, 5, 0x6c, 0x6f, 0x63, 0x61, 0x6c, 0];
    const reader = loaded(
      Uint8Array.from([...header(0, 1), ...owner, 0, TYPE_PTR, 0, 1, 0, 0, 0, 9, 0, 2, 0xc0, 12]),
    );
    reader.next();
    expect(reader.copyData()).toEqual(domainName("a", "local"));
  });

  test("reads a time to live with its top bit set as 0", () => {
    const reader = loaded(Uint8Array.from([...header(0, 1), 0, 0, 1, 0, 1, 0x80, 0, 0, 9, 0, 4, 1, 2, 3, 4]));
    reader.next();
    expect(reader.ttlSeconds).toBe(0);
  });

  test("reads the same message again after rewind", () => {
    const reader = loaded(MESSAGE);
    const count = () => {
      let entries = 0;
      for (reader.rewind(); reader.next(); ) entries++;
      return entries;
    };
    expect([count(), count()]).toEqual([7, 7]);
  });

  test("rejects a message truncated to any length", () => {
    for (let length = 0; length < MESSAGE.length; length++)
      expect(newReader().load(MESSAGE.subarray(0, length)), `${length} bytes`).toBe(false);
  });

  test("accepts at most 9000 bytes", () => {
    const room = 9000 - 12 - 11;
    const record = (bytes: number) => [
      0,
      0,
      99,
      0,
      1,
      0,
      0,
      0,
      9,
      bytes >> 8,
      bytes & 0xff,
      ...Array(bytes).fill(0),
    ];
    expect(loads(...header(0, 1), ...record(room))).toBe(true);
    expect(loads(...header(0, 1), ...record(room + 1))).toBe(false);
  });

  const fixed = (type: number, length: number) => [0, type, 0, 1, 0, 0, 0, 9, 0, length];
  const REFUSED: readonly { name: string; wire: number[]; isMissed?: true }[] = [
    { name: "another operation", isMissed: true, wire: [0, 0, 0x28, 0, 0, 0, 0, 0, 0, 0, 0, 0] },
    { name: "an error code", isMissed: true, wire: [0, 0, 0x84, 3, 0, 0, 0, 0, 0, 0, 0, 0] },
    { name: "more entries announced than present", wire: header(0, 65535) },
    {
      name: "an A record of 5 bytes",
      isMissed: true,
      wire: [...header(0, 1), 0, ...fixed(1, 5), 1, 2, 3, 4, 5],
    },
    {
      name: "an AAAA record of 4 bytes",
      isMissed: true,
      wire: [...header(0, 1), 0, ...fixed(28, 4), 1, 2, 3, 4],
    },
    { name: "a pointer record without a name", wire: [...header(0, 1), 0, ...fixed(12, 0)] },
    {
      name: "a name that ends before its data",
      isMissed: true,
      wire: [...header(0, 1), 0, ...fixed(12, 2), 0, 0],
    },
    {
      name: "a name that ends after its data",
      isMissed: true,
      wire: [...header(0, 1), 0, ...fixed(12, 1), 1, 0x61, 0],
    },
    { name: "an SRV record without a name", wire: [...header(0, 1), 0, ...fixed(33, 6), 0, 0, 0, 0, 0, 1] },
    { name: "a TXT string that runs past its data", wire: [...header(0, 1), 0, ...fixed(16, 2), 2, 0x61] },
    {
      name: "an NSEC window of no bytes",
      isMissed: true,
      wire: [...header(0, 1), 0, ...fixed(47, 3), 0, 0, 0],
    },
    {
      name: "an NSEC window of 33 bytes",
      isMissed: true,
      wire: [...header(0, 1), 0, ...fixed(47, 36), 0, 0, 33, ...Array(33).fill(1)],
    },
    {
      name: "an NSEC window that runs past its data",
      wire: [...header(0, 1), 0, ...fixed(47, 4), 0, 0, 2, 1],
    },
    {
      name: "data that runs past the message",
      isMissed: true,
      wire: [...header(0, 1), 0, ...fixed(99, 2), 1],
    },
  ];
  for (const { name, wire, isMissed = false } of REFUSED)
    test(`rejects ${name}${isMissed ? ", which dns-packet accepts" : ""}`, () => {
      expect(loads(...wire)).toBe(false);
      const reading = expect(() => readMessage(Uint8Array.from(wire)));
      if (isMissed) reading.not.toThrow();
      else reading.toThrow();
    });

  test("accepts an empty TXT record, an unknown type and the root as a name", () => {
    expect(loads(...header(0, 1), 0, ...fixed(16, 0))).toBe(true);
    expect(loads(...header(0, 1), 0, ...fixed(99, 3), 1, 2, 3)).toBe(true);
  });
});
