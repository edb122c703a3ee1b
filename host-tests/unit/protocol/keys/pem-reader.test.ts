import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BLOCK_LIMIT_CHARACTERS, type PemItem, PemReader } from "../../../../protocol/keys/pem-reader.js";
import { nodeBase64 } from "../../../hosts/node-bytes.js";
import { pem } from "./certificate-writer.js";

/** What is in `text`, shortly: `2 PUBLIC KEY hello` for a block in line 2, or a problem. */
function items(text: string, step = 1_000_000): string[] {
  const found: string[] = [];
  const note = (item: PemItem) => {
    if (item.kind === "problem") found.push(`${item.line} problem: ${item.text}`);
    else found.push(`${item.line} ${item.label} ${Buffer.from(item.bytes).toString()}`);
  };
  const reader = new PemReader(nodeBase64);
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += step) reader.write(bytes.subarray(at, at + step), note);
  const last = reader.end();
  if (last) note(last);
  return found;
}

const HELLO = pem("THING", Buffer.from("hello"));
const WORLD = pem("OTHER", Buffer.from("world"));

const FILES = [
  { name: "nothing in an empty file", text: "", is: [] },
  { name: "blocks one after another", text: HELLO + WORLD, is: ["1 THING hello", "4 OTHER world"] },
  {
    name: "blocks between other text",
    text: `for us\n\n${HELLO}--\n${WORLD}.`,
    is: ["3 THING hello", "7 OTHER world"],
  },
  { name: "lines that end in CRLF", text: HELLO.replaceAll("\n", "\r\n"), is: ["1 THING hello"] },
  { name: "lines that end in white space", text: HELLO.replaceAll("\n", " \t\n"), is: ["1 THING hello"] },
  { name: "a last line without end", text: HELLO.trimEnd(), is: ["1 THING hello"] },
  { name: "base64 in lines of any length", text: HELLO.replace("aGVs", "aG\n\nVs"), is: ["1 THING hello"] },
  { name: "an empty block", text: pem("THING", Buffer.alloc(0)), is: ["1 THING "] },
  {
    name: "an unfinished block before the next one",
    text: `${HELLO.replace(/-----END.*\n/, "")}${WORLD}`,
    is: ["1 problem: THING does not end", "3 OTHER world"],
  },
  {
    name: "an unfinished block",
    text: `${WORLD}${HELLO.replace(/-----END.*\n/, "")}`,
    is: ["1 OTHER world", "4 problem: THING does not end"],
  },
  {
    name: "a block that ends as another one",
    text: `${HELLO.replace("END THING", "END OTHER")}${WORLD}`,
    is: ["1 problem: THING ends as OTHER", "4 OTHER world"],
  },
  {
    name: "a block that is not base64",
    text: `${HELLO.replace("aGVs", "aG*s")}${WORLD}`,
    is: ["1 problem: THING is not base64", "4 OTHER world"],
  },
  {
    name: "a block with headers",
    text: `${HELLO.replace("aGVs", "Proc-Type: 4,ENCRYPTED\n\naGVs")}${WORLD}`,
    is: ["1 problem: THING is not base64", "6 OTHER world"],
  },
  {
    name: "base64 that lacks its padding",
    text: `${HELLO.replace("=", "")}${WORLD}`,
    is: ["1 problem: THING is not base64", "4 OTHER world"],
  },
  {
    name: "a boundary with one dash too few",
    text: `${HELLO.replace("-----BEGIN", "----BEGIN")}${WORLD}`,
    is: [
      "1 problem: this is not a boundary of a block, but looks like one",
      "3 problem: this is not a boundary of a block, but looks like one",
      "4 OTHER world",
    ],
  },
  {
    name: "a boundary with one dash too few at its end",
    text: `${HELLO.replace("BEGIN THING-----", "BEGIN THING----")}${WORLD}`,
    is: [
      "1 problem: this is not a boundary of a block, but looks like one",
      "3 problem: this is not a boundary of a block, but looks like one",
      "4 OTHER world",
    ],
  },
  {
    name: "a byte order mark",
    text: `\ufeff${HELLO}${WORLD}`,
    is: [
      "1 problem: this is not a boundary of a block, but looks like one",
      "3 problem: this is not a boundary of a block, but looks like one",
      "4 OTHER world",
    ],
  },
  {
    name: "a broken end",
    text: `${HELLO.replace("END THING-----", "END THING----")}${WORLD}`,
    is: ["1 problem: THING does not end", "4 OTHER world"],
  },
  {
    name: "one endless line",
    text: `${"-".repeat(50_000)}\n${HELLO}${WORLD}`,
    is: [
      "2 problem: THING is not used: its roles line names no role, one that is not known, or is not written exactly",
      "5 OTHER world",
    ],
  },
];

describe("A PEM file", () => {
  for (const { name, text, is } of FILES)
    test(`may have ${name}`, () => {
      expect(items(text)).toEqual(is);
      for (const step of [1, 2, 7]) expect(items(text, step)).toEqual(is);
    });

  const longest = (BLOCK_LIMIT_CHARACTERS / 4) * 3;
  for (const lineLength of [64, 1000, 5000])
    test(`has blocks of up to ${longest} bytes, in lines of ${lineLength}`, () => {
      const block = (byteLength: number) => {
        const lines = Buffer.alloc(byteLength, 0x61)
          .toString("base64")
          .match(new RegExp(`.{1,${lineLength}}`, "g"));
        return `-----BEGIN THING-----\n${lines?.join("\n")}\n-----END THING-----\n${WORLD}`;
      };
      expect(items(block(longest))[0]).toBe(`1 THING ${"a".repeat(longest)}`);
      for (const byteLength of [longest + 1, longest + 100, 3 * longest, 30_000]) {
        const found = items(block(byteLength));
        expect(found).toEqual([
          "1 problem: THING has more than 4096 characters",
          expect.stringMatching(/OTHER world$/),
        ]);
      }
    });

  test("property: gives the same blocks however it is split", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        HELLO,
        WORLD,
        "\n",
        "-----",
        "-----BEGIN THING-----\n",
        "-----END THING-----\n",
        "aGVs",
        "-",
      ),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 50 }), (pieces, step) => {
        expect(items(pieces.join(""), step)).toEqual(items(pieces.join("")));
      }),
    );
  });

  test("property: gives its block whatever other lines come before", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (before, bytes) => {
        const found = items(`${before}\n${pem("THING", bytes)}`);
        expect(found.at(-1)).toMatch(/^\d+ THING/);
      }),
    );
  });
});
