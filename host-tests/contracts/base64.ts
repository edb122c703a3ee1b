/** Contract of every Base64: RFC 4648 §4 with padding, and nothing else. */
import type { Base64 } from "../../protocol/ports/runtime.js";
import { ascii, bytesOf, type ContractCase, equal, equalBytes, throws } from "./assert.js";

/** RFC 4648 §10. */
const VECTORS: readonly (readonly [plain: string, encoded: string])[] = [
  ["", ""],
  ["f", "Zg=="],
  ["fo", "Zm8="],
  ["foo", "Zm9v"],
  ["foob", "Zm9vYg=="],
  ["fooba", "Zm9vYmE="],
  ["foobar", "Zm9vYmFy"],
];

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The bytes that the alphabet stands for, from end to end. */
const ALPHABET_BYTES = bytesOf(
  "00108310518720928b30d38f41149351559761969b71d79f 8218a39259a7a29aabb2dbafc31cb3d35db7e39ebbf3dfbf",
);

const MALFORMED: readonly (readonly [why: string, text: string])[] = [
  ["one character", "Z"],
  ["two characters without padding", "Zg"],
  ["three characters without padding", "Zm8"],
  ["five characters", "Zm9vY"],
  ["too little padding", "Zg="],
  ["too much padding", "Zm8=="],
  ["padding where there is nothing to pad", "Zm9v===="],
  ["padding alone", "="],
  ["a group of padding", "===="],
  ["three characters of padding", "Z==="],
  ["padding in the middle", "Zg==Zm9v"],
  ["padding before a character", "Zg=v"],
  ["padding at the start", "=m9v"],
  ["bits left over after one byte", "Zh=="],
  ["bits left over after two bytes", "Zm9="],
  ["a space", "Zm 9"],
  ["a space at the end", "Zm9v "],
  ["a line feed at the end", "Zm9v\n"],
  ["CRLF between groups", "Zm9v\r\nYmFy"],
  ["the alphabet for URLs, minus", "Zm-v"],
  ["the alphabet for URLs, underscore", "Zm_v"],
  ["a character past ASCII", "Zm9\u00e9"],
  ["a character whose low byte is in the alphabet", "Zm9\u0141"],
  ["an emoji", "Zm\u{1f600}"],
  ["NUL", "Zm9\u0000"],
  ["NUL at the end", "Zm9v\u0000"],
  ["NUL before three characters", "\u0000Zm9"],
  ["the character before A", "Zm9@"],
  ["the character after Z", "Zm9["],
  ["the character after z", "Zm9{"],
  ["a full stop", "Zm9."],
  ["the character after 9", "Zm9:"],
];

export const BASE64_CONTRACT: readonly ContractCase<Base64>[] = [
  ...VECTORS.map(([plain, encoded]) => ({
    name: `encodes "${plain}" as "${encoded}" and decodes it back`,
    run(base64: Base64) {
      equal(base64.encode(ascii(plain)), encoded, "encoded");
      equalBytes(base64.decode(encoded), ascii(plain), "decoded");
    },
  })),
  ...MALFORMED.map(([why, text]) => ({
    name: `decode() rejects ${why}`,
    run(base64: Base64) {
      throws(() => base64.decode(text), `decoding ${JSON.stringify(text)}`);
    },
  })),
  {
    name: "every character of the alphabet stands for its six bits",
    run(base64) {
      equalBytes(base64.decode(ALPHABET), ALPHABET_BYTES, "decoded");
      equal(base64.encode(ALPHABET_BYTES), ALPHABET, "encoded");
    },
  },
  {
    name: "decode() rejects every other character of Latin-1",
    run(base64) {
      for (let code = 0; code < 256; code++) {
        const character = String.fromCharCode(code);
        if (!ALPHABET.includes(character) && character !== "=")
          throws(() => base64.decode(`AAA${character}`), `decoding the character ${code}`);
      }
    },
  },
  {
    name: "decode() returns the encoded bytes, for each length up to 100",
    run(base64) {
      const bytes = new Uint8Array(100).map((_, index) => index * 151 + 7);
      for (let length = 0; length <= bytes.length; length++) {
        const text = base64.encode(bytes.subarray(0, length));
        equal(text.length, 4 * Math.ceil(length / 3), `characters for ${length} bytes`);
        equalBytes(base64.decode(text), bytes.subarray(0, length));
      }
    },
  },
  {
    name: "encode() reads a view only within its bounds",
    run(base64) {
      equal(base64.encode(ascii("xxfoobarxx").subarray(2, 8)), "Zm9vYmFy");
    },
  },
  {
    name: "decode() returns an ArrayBuffer of exactly the decoded length",
    run(base64) {
      const buffer = base64.decode("Zm9vYg==");
      equal(buffer instanceof ArrayBuffer, true, "an ArrayBuffer");
      equal(buffer.byteLength, 4, "byteLength");
    },
  },
  {
    name: "encode() rejects arguments that are not bytes",
    run(base64) {
      for (const value of [undefined, null, 1, "abc", {}])
        throws(() => base64.encode(value as unknown as Uint8Array), `encoding ${value}`);
    },
  },
];
