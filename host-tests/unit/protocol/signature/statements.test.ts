import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  readKeyText,
  readSuccessionFile,
  readSuccessions,
  readVoucher,
  SUCCESSIONS_LIMIT,
  type Succession,
  successionHolds,
  successionText,
  voucherText,
  writeSuccession,
} from "../../../../protocol/signature/statements.js";
import { nodeSignatures } from "../../../hosts/node-bytes.js";

interface Key {
  readonly secret: KeyObject;
  readonly bytes: Uint8Array;
}

function newKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    secret: privateKey,
    bytes: new Uint8Array(publicKey.export({ type: "spki", format: "der" })).slice(-32),
  };
}

function succeed(old: Key, next: Key): Succession {
  const text = successionText(old.bytes, next.bytes);
  const signature = new Uint8Array(sign(null, Buffer.from(text), old.secret));
  return { oldKey: old.bytes, newKey: next.bytes, signature };
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const invalid = expect.objectContaining({ code: "signature_invalid", status: 403 });
const keys = Array.from({ length: SUCCESSIONS_LIMIT + 2 }, newKey);
const links = keys.slice(1).map((key, at) => succeed(keys[at] as Key, key));
const texts = links.map(writeSuccession);
const [first, second] = texts as [string, string];

describe("A voucher", () => {
  const digest = new Uint8Array(createHash("sha256").update("package").digest());
  const key = (keys[0] as Key).bytes;

  test("is a text of three lines over package and key", () =>
    expect(voucherText(digest, key)).toBe(`svc publisher\n${hex(digest)}\n${hex(key)}\n`));

  const whole = { signature: "ab".repeat(64), key: "cd".repeat(32), voucher: "ef".repeat(64) };

  test("is sent as signature, key and voucher", () =>
    expect(readVoucher(whole)).toEqual({
      signature: new Uint8Array(64).fill(0xab),
      publicKey: new Uint8Array(32).fill(0xcd),
      voucher: new Uint8Array(64).fill(0xef),
    }));

  test("is missing if all its parts are", () => expect(readVoucher({ succession: "" })).toBeUndefined());

  test("is missing if only the voucher text is", () => {
    expect(readVoucher({ signature: whole.signature })).toBeUndefined();
    expect(readVoucher({ signature: whole.signature, key: whole.key })).toBeUndefined();
  });

  for (const missing of ["signature", "key"] as const)
    test(`is rejected without the ${missing}`, () => {
      const { [missing]: _, ...rest } = whole;
      expect(() => readVoucher(rest)).toThrow(invalid);
    });

  for (const text of ["", "cd".repeat(31), "CD".repeat(32), `${"cd".repeat(31)}g0`, `+1${"cd".repeat(31)}`])
    test(`cannot have the key "${text}"`, () => expect(() => readKeyText(text)).toThrow(invalid));
});

describe("A succession", () => {
  test("is a text of three lines over both keys", () =>
    expect(successionText((keys[0] as Key).bytes, (keys[1] as Key).bytes)).toBe(
      `svc successor\n${hex((keys[0] as Key).bytes)}\n${hex((keys[1] as Key).bytes)}\n`,
    ));

  test("is valid if the old key has signed it", () =>
    expect(successionHolds(links[0] as Succession, nodeSignatures)).toBe(true));

  test("is invalid for another new key, another old key, or swapped keys", () => {
    const [link] = links as [Succession];
    const other = newKey().bytes;
    expect(successionHolds({ ...link, newKey: other }, nodeSignatures)).toBe(false);
    expect(successionHolds({ ...link, oldKey: other }, nodeSignatures)).toBe(false);
    expect(successionHolds({ ...link, oldKey: link.newKey, newKey: link.oldKey }, nodeSignatures)).toBe(
      false,
    );
  });

  test("is read as written, alone and in a chain", () => {
    expect(readSuccessions(first)).toEqual([links[0]]);
    const most = links.slice(0, SUCCESSIONS_LIMIT);
    expect(readSuccessions(most.map(writeSuccession).join(","))).toEqual(most);
  });

  test("is missing in an empty text", () => {
    expect(readSuccessions(undefined)).toEqual([]);
    expect(readSuccessions("")).toEqual([]);
  });

  const REFUSED = [
    { name: "one link too many", text: texts.join(",") },
    { name: "a comma at the end", text: `${first},` },
    { name: "a comma at the beginning", text: `,${first}` },
    { name: "another separator", text: `${first};${second}` },
    { name: "a link that is too short", text: first.slice(0, -1) },
    { name: "a link that is too long", text: `${first}0` },
    { name: "links in the wrong order", text: `${second},${first}` },
    { name: "the same link twice", text: `${first},${first}` },
    { name: "commas alone", text: ",".repeat(3000) },
    { name: "keys in upper case", text: first.toUpperCase() },
  ];
  for (const { name, text } of REFUSED)
    test(`is rejected with ${name}`, () => expect(() => readSuccessions(text)).toThrow(invalid));

  test("throws only faults, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 1200 }), fc.nat(300), (text, at) => {
        for (const changed of [text, first.slice(0, at) + text + first.slice(at)])
          try {
            readSuccessions(changed);
          } catch (error) {
            expect(error).toEqual(invalid);
          }
      }),
    );
  });
});

describe("A file of successions", () => {
  const file = (text: string) => new TextEncoder().encode(text);

  test("has one link per line, with line ends of either kind, and files can be concatenated", () => {
    const chain = `${first},${second}`;
    for (const text of [chain, `${first}\n${second}\n`, `${first}\r\n${second}\r\n`])
      expect(readSuccessionFile(file(text))).toBe(chain);
  });

  test("is rejected if too long", () =>
    expect(() => readSuccessionFile(file(`${texts.join("\n")}\n`))).toThrow(invalid));
});

test("without links has no succession, and white space at its end is ignored", () => {
  for (const end of ["\n", "\r\n", " \n\t"])
    expect(readSuccessionFile(new TextEncoder().encode(end.repeat(Math.floor(1000 / end.length))))).toBe("");
});
