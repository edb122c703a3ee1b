/** Contract of TextEncoder and TextDecoder on every host (WHATWG Encoding, UTF-8 only). */
import { ascii, bytesOf, type ContractCase, equal, equalBytes, throws, throwsA } from "./assert.js";

/** The two classes; boards, the simulator and Node have them as globals. */
export interface TextHost {
  readonly TextEncoder: new () => {
    encode(text?: string): Uint8Array;
    encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number };
  };
  readonly TextDecoder: new (
    label?: string,
    options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean },
  ) => { decode(bytes?: Uint8Array | ArrayBuffer): string };
}

/** Scalar values at the limits of each length, and the examples of RFC 3629 §4, §7. */
const VALID: readonly (readonly [text: string, hex: string])[] = [
  ["", ""],
  ["a", "61"],
  ["\u0000", "00"],
  ["a\u0000b", "61 00 62"],
  ["\u007f", "7f"],
  ["\u0080", "c2 80"],
  ["\u07ff", "df bf"],
  ["\u0800", "e0 a0 80"],
  ["\ud7ff", "ed 9f bf"],
  ["\ue000", "ee 80 80"],
  ["\uffff", "ef bf bf"],
  ["\u{10000}", "f0 90 80 80"],
  ["\u{10ffff}", "f4 8f bf bf"],
  ["A≢Α.", "41 e2 89 a2 ce 91 2e"],
  ["日本語", "e6 97 a5 e6 9c ac e8 aa 9e"],
  ["a\u{1f600}b\u{233b4}", "61 f0 9f 98 80 62 f0 a3 8e b4"],
];

/** Invalid UTF-8 and its decoded text: one U+FFFD for each maximal part of a sequence. */
const INVALID: readonly (readonly [why: string, hex: string, replaced: string])[] = [
  ["a continuation byte alone", "80", "\ufffd"],
  ["the last continuation byte alone", "bf", "\ufffd"],
  ["two continuation bytes alone", "80 bf", "\ufffd\ufffd"],
  ["an overlong slash of two bytes", "c0 af", "\ufffd\ufffd"],
  ["an overlong slash of three bytes", "e0 80 af", "\ufffd\ufffd\ufffd"],
  ["an overlong slash of four bytes", "f0 80 80 af", "\ufffd\ufffd\ufffd\ufffd"],
  ["NUL as Java writes it", "c0 80", "\ufffd\ufffd"],
  ["the greatest overlong of two bytes", "c1 bf", "\ufffd\ufffd"],
  ["the greatest overlong of three bytes", "e0 9f bf", "\ufffd\ufffd\ufffd"],
  ["the greatest overlong of four bytes", "f0 8f bf bf", "\ufffd\ufffd\ufffd\ufffd"],
  ["the first surrogate", "ed a0 80", "\ufffd\ufffd\ufffd"],
  ["the last surrogate", "ed bf bf", "\ufffd\ufffd\ufffd"],
  ["a pair of surrogates", "ed a0 bd ed b8 80", "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"],
  ["U+110000", "f4 90 80 80", "\ufffd\ufffd\ufffd\ufffd"],
  ["a sequence that begins with F5", "f5 80 80 80", "\ufffd\ufffd\ufffd\ufffd"],
  ["a sequence of five bytes", "f8 88 80 80 80", "\ufffd\ufffd\ufffd\ufffd\ufffd"],
  ["a sequence of six bytes", "fc 84 80 80 80 80", "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"],
  ["FE", "fe", "\ufffd"],
  ["FF", "ff", "\ufffd"],
  ["two bytes cut after one", "c3", "\ufffd"],
  ["three bytes cut after one", "e2", "\ufffd"],
  ["three bytes cut after two", "e2 82", "\ufffd"],
  ["four bytes cut after one", "f0", "\ufffd"],
  ["four bytes cut after two", "f0 9f", "\ufffd"],
  ["four bytes cut after three", "f0 9f 98", "\ufffd"],
  ["two bytes cut by a letter", "c3 61", "\ufffda"],
  ["three bytes cut by a letter", "e2 82 61", "\ufffda"],
  ["four bytes cut by a letter", "f0 9f 98 61", "\ufffda"],
  ["four bytes cut by another sequence", "f0 9f c3 a9", "\ufffd\u00e9"],
  ["a sequence after a cut one", "e2 82 e2 82 ac", "\ufffd\u20ac"],
  ["text around a bad byte", "61 ff 62", "a\ufffdb"],
];

const BYTE_ORDER_MARK = bytesOf("ef bb bf 61");

export const TEXT_CONTRACT: readonly ContractCase<TextHost>[] = [
  ...VALID.map(([text, hex]) => ({
    name: `${JSON.stringify(text)} is encoded as ${hex || "no bytes"} and decoded back`,
    run({ TextEncoder, TextDecoder }: TextHost) {
      equalBytes(new TextEncoder().encode(text), bytesOf(hex), "encoded");
      equal(new TextDecoder().decode(bytesOf(hex)), text, "decoded");
      equal(new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(hex)), text, "decoded strictly");
    },
  })),
  ...INVALID.map(([why, hex, replaced]) => ({
    name: `decode() replaces ${why}, and throws if fatal`,
    run({ TextDecoder }: TextHost) {
      equal(new TextDecoder().decode(bytesOf(hex)), replaced, "decoded");
      const strict = new TextDecoder("utf-8", { fatal: true });
      throwsA("TypeError", () => strict.decode(bytesOf(hex)), "decoding strictly");
      equal(strict.decode(ascii("fine")), "fine", "what comes next");
    },
  })),
  {
    name: "decode() of text cut at any byte returns the whole characters and one U+FFFD",
    run({ TextDecoder }) {
      const bytes = bytesOf("61 c3 a9 e2 82 ac f0 9f 98 80");
      const expected = ["", "a", "a?", "aé", "aé?", "aé?", "aé€", "aé€?", "aé€?", "aé€?", "aé€😀"];
      for (const [length, text] of expected.entries())
        equal(new TextDecoder().decode(bytes.subarray(0, length)), text.replace("?", "\ufffd"));
    },
  },
  {
    name: "decode() accepts and rejects every pair of first bytes as in RFC 3629 §4",
    run({ TextDecoder }) {
      const strict = new TextDecoder("utf-8", { fatal: true });
      for (let first = 0x80; first < 0x100; first++)
        for (let second = 0; second < 0x100; second++) {
          const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
          const bytes = Uint8Array.of(first, second, 0x80, 0x80).subarray(0, length);
          const what = `${first.toString(16)} ${second.toString(16)}`;
          if (isValidStart(first, second)) equal([...strict.decode(bytes)].length, 1, what);
          else throws(() => strict.decode(bytes), what);
        }
    },
  },
  {
    name: "encode() replaces an unpaired surrogate by U+FFFD",
    run({ TextEncoder }) {
      for (const text of ["\ud800", "\udfff", "\udbff"])
        equalBytes(new TextEncoder().encode(text), bytesOf("ef bf bd"));
      equalBytes(new TextEncoder().encode("a\ud83db"), bytesOf("61 ef bf bd 62"));
    },
  },
  {
    name: "encodeInto() writes as many whole characters as fit",
    run({ TextEncoder, TextDecoder }) {
      const text = "aé\u0000€😀z";
      const bytes = new TextEncoder().encode(text);
      for (let capacity = 0; capacity <= bytes.length + 1; capacity++) {
        const into = new Uint8Array(capacity + 2).fill(0xaa);
        const { read, written } = new TextEncoder().encodeInto(text, into.subarray(1, capacity + 1));
        equalBytes(into.subarray(1, written + 1), bytes.subarray(0, written), `into ${capacity} bytes`);
        const decoded = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, written));
        equal(text.slice(0, read), decoded, `read of ${capacity} bytes`);
        equal(capacity - written < 4 || read === text.length, true, `${capacity} bytes are used`);
        equal(into[0] === 0xaa && into[capacity + 1] === 0xaa, true, `around ${capacity} bytes`);
      }
    },
  },
  {
    name: "decode() drops a byte order mark at the start, and only the first",
    run({ TextDecoder }) {
      equal(new TextDecoder().decode(BYTE_ORDER_MARK), "a");
      equal(new TextDecoder("utf-8", { fatal: true }).decode(BYTE_ORDER_MARK), "a", "decoded strictly");
      equal(new TextDecoder().decode(bytesOf("ef bb bf ef bb bf")), "\ufeff", "of two marks");
      equal(new TextDecoder().decode(bytesOf("61 ef bb bf")), "a\ufeff", "a mark at the end");
    },
  },
  {
    name: "decode() with ignoreBOM keeps the byte order mark",
    run({ TextDecoder }) {
      equal(new TextDecoder("utf-8", { ignoreBOM: true }).decode(BYTE_ORDER_MARK), "\ufeffa");
    },
  },
  {
    name: "a decoder starts afresh at each decode()",
    run({ TextDecoder }) {
      const decoder = new TextDecoder();
      equal(decoder.decode(bytesOf("e2 82")), "\ufffd");
      equal(decoder.decode(bytesOf("ac")), "\ufffd", "the rest of it");
      equal(decoder.decode(BYTE_ORDER_MARK), "a");
      equal(decoder.decode(BYTE_ORDER_MARK), "a", "a second time");
    },
  },
  {
    name: "decode() reads a view within its bounds, and a buffer whole",
    run({ TextDecoder }) {
      const bytes = ascii("xxshownxx");
      equal(new TextDecoder().decode(bytes.subarray(2, 7)), "shown");
      equal(new TextDecoder().decode(bytes.buffer), "xxshownxx");
    },
  },
  {
    name: "encode() and decode() without an argument return nothing",
    run({ TextEncoder, TextDecoder }) {
      equal(new TextEncoder().encode().length, 0, "encoded");
      equal(new TextDecoder().decode(), "", "decoded");
    },
  },
  {
    name: "encode() returns a Uint8Array of exactly the encoded length",
    run({ TextEncoder }) {
      const bytes = new TextEncoder().encode("abc");
      equal(bytes instanceof Uint8Array, true, "a Uint8Array");
      equal(bytes.length, 3, "length");
    },
  },
  {
    name: "text of several kilobytes is decoded as it was encoded",
    run({ TextEncoder, TextDecoder }) {
      const text = "0123456789 äöü 日本語 \u{1f600}\n".repeat(200);
      equal(new TextDecoder().decode(new TextEncoder().encode(text)), text);
    },
  },
  {
    name: "the constructor accepts utf-8, utf8 and UTF-8, and throws a RangeError for another label",
    run({ TextDecoder }) {
      for (const label of ["utf-8", "utf8", "UTF-8"]) new TextDecoder(label);
      for (const label of ["klingon", "utf-88", ""])
        throwsA("RangeError", () => new TextDecoder(label), label);
    },
  },
];

/** Whether RFC 3629 §4 allows these first two bytes. */
function isValidStart(first: number, second: number): boolean {
  if (first < 0xc2 || first > 0xf4) return false;
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  return second >= lowest && second <= highest;
}
