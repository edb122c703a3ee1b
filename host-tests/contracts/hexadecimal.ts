/** Contract of hexadecimal digits on every host: with methods of ECMAScript 2026 on a console, and without them in Node. */
import { hexadecimal, readHexadecimal } from "../../protocol/hexadecimal.js";
import { type ContractCase, equal, equalBytes, throwsA } from "./assert.js";

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, at) => at);

/** Texts that are not an even number of lower-case digits. */
const WRONG = [
  "0",
  "abc",
  "0g",
  "g0",
  "AB",
  "aB",
  "/0",
  ":0",
  "`0",
  "@0",
  " 1",
  "1 ",
  "+1",
  "-1",
  "0x",
  "é0",
  "0\0",
  "\0\0",
  "ab\n0",
];

export const HEXADECIMAL_CONTRACT: readonly ContractCase<undefined>[] = [
  {
    name: "every byte becomes two lower-case digits, and again the byte",
    run() {
      const digits = hexadecimal(EVERY_BYTE);
      equal(digits.length, 512);
      for (const byte of EVERY_BYTE) equal(Number.parseInt(digits.slice(2 * byte, 2 * byte + 2), 16), byte);
      equal(digits.toLowerCase(), digits);
      equalBytes(readHexadecimal(digits) as Uint8Array, EVERY_BYTE);
    },
  },
  {
    name: "no bytes have no digits",
    run() {
      equal(hexadecimal(new Uint8Array(0)), "");
      equal(readHexadecimal("")?.length, 0);
    },
  },
  {
    name: "a view has the digits of its own bytes",
    run() {
      equal(hexadecimal(EVERY_BYTE.subarray(9, 12)), "090a0b");
      const read = readHexadecimal("00ff10") as Uint8Array;
      equal(`${read.byteOffset} ${read.buffer.byteLength}`, "0 3");
    },
  },
  {
    name: "other texts have no bytes",
    run() {
      for (const text of WRONG) equal(readHexadecimal(text), undefined, JSON.stringify(text));
    },
  },
  {
    name: "where the methods of ECMAScript are, they take bytes and texts alone",
    run() {
      const { toHex } = Uint8Array.prototype as { toHex?: () => string };
      const { fromHex } = Uint8Array as { fromHex?: (text: unknown) => Uint8Array };
      if (!toHex || !fromHex) return;
      for (const value of [undefined, null, {}, "a", 1]) throwsA("TypeError", () => toHex.call(value));
      for (const value of [undefined, null, {}, 1, ["00"]]) throwsA("TypeError", () => fromHex(value));
      for (const text of ["0", "0g"]) throwsA("SyntaxError", () => fromHex(text));
      equal(fromHex("aBcD").join(" "), "171 205");
    },
  },
];
