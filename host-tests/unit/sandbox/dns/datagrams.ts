/** Datagrams to read: valid ones, hostile ones, and both with changes. A run follows from its seed. */
import { query, response, writeMessage } from "../../services/mdns/dns-messages.js";

const DATAGRAM_LIMIT_BYTES = 9000;

const HOST = "Console-1A2B.local";
const INSTANCE = "Console-1A2B._svc._tcp.local";
const POINTER = `_svc._tcp.local PTR ${INSTANCE} 4500`;

const VALID: readonly Uint8Array[] = [
  query("_svc._tcp.local PTR QU", `${INSTANCE} ANY`, `${HOST} A`),
  query("_http._tcp.local PTR", "_ipp._tcp.local PTR"),
  writeMessage({ isTruncated: true, questions: ["_svc._tcp.local PTR"], answers: [POINTER] }),
  writeMessage({ answers: [POINTER] }),
  writeMessage({ questions: [`${INSTANCE} ANY`], authorities: [`${INSTANCE} SRV x.local:1 120`] }),
  response(
    POINTER,
    `${INSTANCE} SRV ${HOST}:8080 120 flush`,
    `${INSTANCE} TXT a=b;long=${"x".repeat(200)} 4500`,
    `${HOST} A 10.0.0.7 120`,
  ),
  response(`${HOST} AAAA fe80::1 120`, `${HOST} NSEC A,AAAA,TXT 120 flush`, `${INSTANCE} TXT x 0`),
  response("CONSOLE-1a2b.LOCAL A 10.0.0.8 120", "other.local NSEC A 120", "other.local SRV x.y.z:1 9"),
  writeMessage({
    questions: Array<string>(64).fill("_svc._tcp.local PTR"),
    answers: Array.from({ length: 192 }, (_, index) => `n${index}.local A 10.0.0.1 ${index}`),
  }),
];

/** Header of a response with 16 bits for its number of answers. */
function header(answers: number): number[] {
  return [0, 0, 0x84, 0, 0, 0, answers >> 8, answers & 0xff, 0, 0, 0, 0];
}

/** Names of {@link labels} labels of one byte, then a chain of pointers: the slowest that are accepted. */
export function slowNames(labels = 126): Uint8Array {
  const bytes = [...header(256)];
  const fixed = (type: number, length: number) => [0, type, 0, 1, 0, 0, 0, 9, 0, length];
  bytes.push(...Array<number[]>(labels).fill([1, 0x61]).flat(), 0, ...fixed(99, 0));
  let target = 12;
  for (let record = 1; record < 256; record++) {
    const at = bytes.length;
    bytes.push(
      0xc0 | (target >> 8),
      target & 0xff,
      ...fixed(12, 4),
      1,
      0x62,
      0xc0 | (target >> 8),
      target & 0xff,
    );
    // The next name points to this one, until ten pointers are reached.
    target = record % 9 === 8 ? 12 : at;
  }
  return Uint8Array.from(bytes);
}

/** Records of the root name whose data is a chain of pointers, each one step longer. */
function pointerChain(answers: number): Uint8Array {
  const bytes = new Uint8Array(DATAGRAM_LIMIT_BYTES);
  bytes.set(header(answers));
  for (let at = 14; at + 2 <= bytes.length; at += 2) bytes.set([0xc0 | ((at - 2) >> 8), (at - 2) & 0xff], at);
  return bytes;
}

/** One record of `type` that fills a datagram with `data`. */
function fullRecord(type: number, data: (byteLength: number) => number[]): Uint8Array {
  const byteLength = DATAGRAM_LIMIT_BYTES - 12 - 11;
  const fixed = [0, 0, type, 0, 1, 0, 0, 0, 9, byteLength >> 8, byteLength & 0xff];
  return Uint8Array.from([...header(1), ...fixed, ...data(byteLength)]);
}

export const HOSTILE: readonly Uint8Array[] = [
  slowNames(),
  slowNames(127),
  pointerChain(0xffff),
  pointerChain(256),
  Uint8Array.from([...header(1), 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 1, 2, 3, 4]),
  Uint8Array.from([...header(1), 1, 0x61, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 1, 2, 3, 4]),
  // A TXT record of empty strings, an NSEC record of windows, data of an unknown type, names after names.
  fullRecord(16, (length) => Array<number>(length).fill(0)),
  fullRecord(47, (length) => [
    2,
    0x61,
    0x61,
    0,
    ...Array.from({ length: length - 4 }, (_, at) => at % 3 && 1),
  ]),
  fullRecord(99, (length) => Array<number>(length).fill(0xc0)),
  new Uint8Array(DATAGRAM_LIMIT_BYTES + 1),
  new Uint8Array(0),
];

export type Below = (limit: number) => number;

/** Marsaglia's xorshift: the whole run follows from the seed. */
export function random(seed: number): Below {
  let state = seed >>> 0 || 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

function splice(bytes: Uint8Array, at: number, removed: number, added: ArrayLike<number>): Uint8Array {
  const rest = bytes.subarray(Math.min(bytes.length, at + removed));
  const changed = new Uint8Array(at + added.length + rest.length);
  changed.set(bytes.subarray(0, at));
  changed.set(added, at);
  changed.set(rest, at + added.length);
  return changed;
}

type Change = (bytes: Uint8Array, at: number, below: Below, other: Uint8Array) => Uint8Array;

const TYPES = [1, 2, 5, 12, 16, 28, 33, 47, 99, 255];

const CHANGES: readonly Change[] = [
  (bytes, at, below) => splice(bytes, at, 1, [(bytes[at] ?? 0) ^ (1 << below(8))]),
  (bytes, at, below) => splice(bytes, at, 1, [below(256)]),
  (bytes, at, below) => splice(bytes, at, 1, [TYPES[below(TYPES.length)] ?? 0]),
  (bytes, at, below) => splice(bytes, at, 2, [0xc0, below(Math.min(bytes.length, 256))]),
  (bytes, at, below, other) => {
    const from = below(other.length);
    return splice(bytes, at, below(20), other.subarray(from, from + below(40)));
  },
  (bytes, at) => bytes.slice(0, at),
  (bytes, at, below) => splice(bytes, at, 0, [below(256)]),
  (bytes, at, below) => splice(bytes, at, 1 + below(3), []),
  // Counts and flags.
  (bytes, _at, below) => splice(bytes, 5 + 2 * below(4), 1, [below(5)]),
  (bytes, _at, below) => splice(bytes, 2, 1, [[0, 2, 0x80, 0x84][below(4)] ?? 0]),
  // The case of a letter.
  (bytes, at) => splice(bytes, at, 1, [(bytes[at] ?? 0) ^ 0x20]),
];

/** A datagram with up to three changes. */
export function changedDatagram(below: Below): Uint8Array {
  const from = below(40) === 0 ? HOSTILE : VALID;
  let bytes = from[below(from.length)] as Uint8Array;
  for (let changes = below(4); changes > 0 && bytes.length > 12; changes--) {
    const other = VALID[below(VALID.length)] as Uint8Array;
    bytes = (CHANGES[below(CHANGES.length)] as Change)(bytes, below(bytes.length), below, other);
  }
  return bytes;
}
