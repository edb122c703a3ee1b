/** What the name server of the set-up access point answers (docs/spec/setup.md#names). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DnsResponder } from "../../../../device/services/setup/dns-responder.js";
import { query, readMessage, response, writeMessage } from "../mdns/dns-messages.js";
import { sandbox } from "../mdns/dns-program.js";

const ADDRESS = Uint8Array.of(192, 168, 4, 1);
const responder = new DnsResponder(sandbox, ADDRESS);

/** A query as resolvers send it: with an id, recursion desired, and an option of EDNS. */
function asked(name: string, type: number): Uint8Array {
  const labels = name.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
  const question = [...labels, 0, type >> 8, type & 0xff, 0, 1];
  const edns = [0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0];
  return Uint8Array.of(0x12, 0x34, 0x01, 0x20, 0, 1, 0, 0, 0, 0, 0, 1, ...question, ...edns);
}

test("a query for an address is answered with the console's, byte for byte", () => {
  const question = [1, 0x61, 2, 0x42, 0x63, 0, 0, 1, 0, 1];
  expect([...(responder.answer(asked("a.Bc", 1)) ?? [])]).toEqual([
    ...[0x12, 0x34, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0],
    ...question,
    ...[0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...ADDRESS],
  ]);
});

test("recursion that was not desired is not in the answer", () => {
  const wanted = asked("example.org", 1);
  wanted[2] = 0;
  expect(responder.answer(wanted)?.[2]).toBe(0x84);
});

for (const [type, name] of [
  [28, "AAAA"],
  [65, "UNKNOWN_65"],
  [16, "TXT"],
  [15, "MX"],
  [12, "PTR"],
] as const)
  test(`a query for ${name} is answered without a record`, () => {
    const answer = readMessage(responder.answer(asked("example.org", type)) as Uint8Array);
    expect([answer.questions.length, answer.answers]).toEqual([1, []]);
  });

test("the longest name is answered", () => {
  const name = ["x".repeat(63), "y".repeat(63), "z".repeat(63), "w".repeat(61)].join(".");
  const answer = readMessage(responder.answer(asked(name, 1)) as Uint8Array);
  expect(answer.answers).toEqual([`${name} A 192.168.4.1 1`]);
});

const plain = query("example.org A");
const changed = (at: number, byte: number) =>
  Uint8Array.from(plain, (old, index) => (index === at ? byte : old));
const IGNORED: readonly (readonly [string, Uint8Array])[] = [
  ["nothing", new Uint8Array()],
  ["a header alone", plain.slice(0, 12)],
  ["a query that is cut off", plain.slice(0, -1)],
  ["a response", response("example.org A 10.0.0.1 120")],
  ["two questions", query("example.org A", "example.com A")],
  [
    "a query with an answer",
    writeMessage({ questions: ["example.org A"], answers: ["example.org A 10.0.0.1 1"] }),
  ],
  ["a truncated query", changed(2, 0x02)],
  ["another operation", changed(2, 0x28)],
  ["another class", changed(plain.length - 1, 3)],
  ["a class with the top bit of multicast DNS", query("example.org A QU")],
  ["a name that points to itself", Uint8Array.of(0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1)],
  ["a long query", Uint8Array.from({ length: 513 }, (_, index) => plain[index] ?? 0)],
];
for (const [name, bytes] of IGNORED)
  test(`${name} is ignored`, () => expect(responder.answer(bytes)).toBeUndefined());

test("arbitrary bytes are ignored or answered with one record at most, and what follows is not affected", () => {
  const anything = fc.uint8Array({ maxLength: 600 });
  const mutated = fc
    .tuple(
      fc.constantFrom(plain, asked("a.b.example", 1), asked("x", 28)),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 6 }),
    )
    .map(([message, changes]) => {
      const copy = message.slice();
      for (const [at, byte] of changes) copy[at % copy.length] = byte;
      return copy;
    });
  fc.assert(
    fc.property(fc.oneof(anything, mutated), (bytes) => {
      const answer = responder.answer(bytes);
      if (answer) {
        expect([answer[0], answer[1], (answer[2] as number) & 0x80]).toEqual([bytes[0], bytes[1], 0x80]);
        expect(answer[7]).toBeLessThanOrEqual(1);
        expect(answer.length).toBeLessThanOrEqual(512);
      }
      expect(responder.answer(plain)?.length).toBe(plain.length + 16);
    }),
    { numRuns: 2000 },
  );
});
