/** Messages of faults of signatures and of publishers' statements, which users see. */
import { describe, expect, test } from "vitest";
import { verifySignature } from "../../../../protocol/signature/ed25519.js";
import { SignatureChecks } from "../../../../protocol/signature/signature-checks.js";
import { readSignature } from "../../../../protocol/signature/signature-text.js";
import {
  publisherTexts,
  readKeyText,
  readSuccessionFile,
  readSuccessions,
  readVoucher,
  SUCCESSIONS_LIMIT,
} from "../../../../protocol/signature/statements.js";
import { nodeSignatures } from "../../../hosts/node-bytes.js";

const key = (digit: string) => digit.repeat(64);
const link = (from: string, to: string) => `${key(from)}:${key(to)}:${"0".repeat(128)}`;
/** A chain of keys of equal digits; its signatures do not count here. */
const chain = (length: number) =>
  Array.from({ length }, (_, at) => link((at % 16).toString(16), ((at + 1) % 16).toString(16)));

const MALFORMED_KEY = "A public key must be 64 lower-case hexadecimal digits";
const MALFORMED_LINK = "A succession must be <old key>:<new key>:<signature>";

describe("A fault", () => {
  test("of a signature names its format, or that it is missing", () => {
    expect(() => readSignature(undefined)).toThrow("Cannot accept a file without a signature");
    expect(() => readSignature("ab")).toThrow("A signature must be 128 hexadecimal digits");
  });

  test("of a key names its format", () => {
    expect(() => readKeyText("ab")).toThrow(MALFORMED_KEY);
    expect(() => readKeyText(`${"0".repeat(63)}G`)).toThrow(MALFORMED_KEY);
  });

  test("of a voucher names the parts that it needs", () => {
    const voucher = "0".repeat(128);
    const message = "A voucher needs the publisher's signature and key; one of them is missing";
    expect(() => readVoucher({ voucher, key: key("1") })).toThrow(message);
    expect(() => readVoucher({ voucher, signature: voucher })).toThrow(message);
  });

  const one = link("1", "2");
  test.each([
    ["one digit too few", one.slice(1)],
    ["one digit too many", `${one}0`],
    ["another first separator", one.replace(":", "0")],
    ["another second separator", `${one.slice(0, 129)}0${one.slice(130)}`],
    ["other separators", one.replaceAll(":", "0")],
    ["a comma after it", `${one},`],
    ["another separator of links", `${one};${link("2", "3")}`],
  ])("of a succession with %s names its format", (_, text) => {
    expect(() => readSuccessions(text)).toThrow(MALFORMED_LINK);
  });

  test("of successions in the wrong order names the order", () => {
    const message = "The successions do not follow each other, the oldest first";
    expect(() => readSuccessions(`${link("2", "3")},${one}`)).toThrow(message);
  });

  test("of too many successions names their limit, in a file too", () => {
    const most = chain(SUCCESSIONS_LIMIT);
    const message = `Cannot follow more than ${SUCCESSIONS_LIMIT} successions`;
    expect(readSuccessions(most.join(","))).toHaveLength(SUCCESSIONS_LIMIT);
    expect(() => readSuccessions(chain(SUCCESSIONS_LIMIT + 1).join(","))).toThrow(message);
    const file = (text: string) => new TextEncoder().encode(text);
    expect(readSuccessionFile(file(`${most.join("\n")}\n`))).toBe(most.join(","));
    // So long that no line of it is read.
    expect(() => readSuccessionFile(file(`${one}${" ".repeat(10_000)}`))).toThrow(message);
  });

  test("of bytes of another length names both lengths", () => {
    const signature = new Uint8Array(64);
    const publicKey = new Uint8Array(32);
    const message = new Uint8Array();
    const verify = (bytes: Partial<{ signature: Uint8Array; publicKey: Uint8Array }>) => () =>
      verifySignature({ signature, publicKey, message, ...bytes, ...nodeSignatures });
    const short = "Cannot check a signature of 63 bytes, it has 64";
    const long = "Cannot check a public key of 33 bytes, it has 32";
    expect(verify({ signature: new Uint8Array(63) })).toThrow(short);
    expect(verify({ publicKey: new Uint8Array(33) })).toThrow(long);
    expect(() => new SignatureChecks({ signature: new Uint8Array(63), ...nodeSignatures })).toThrow(short);
    const checks = new SignatureChecks({ signature, ...nodeSignatures });
    expect(() => checks.add(new Uint8Array(33))).toThrow(long);
  });
});

describe("A file of successions", () => {
  const read = (text: string) => readSuccessionFile(new TextEncoder().encode(text));

  test("is rejected with a lone carriage return between its links", () =>
    expect(() => read(`${link("1", "2")}\r${link("2", "3")}`)).toThrow(MALFORMED_LINK));

  test("may be empty", () => expect(read("")).toBe(""));
});

describe("SignatureChecks", () => {
  test("keeps keys that differ only in their last byte apart", () => {
    const checks = new SignatureChecks({ signature: new Uint8Array(64), ...nodeSignatures });
    for (const last of [1, 2, 3]) checks.add(new Uint8Array(32).fill(last, 31));
    expect(checks.length).toBe(3);
  });

  test("adds a key of zeros, which the unused room for keys equals", () => {
    const checks = new SignatureChecks({ signature: new Uint8Array(64), ...nodeSignatures });
    checks.add(new Uint8Array(32));
    expect(checks.length).toBe(1);
  });
});

describe("The publisher's texts of a message", () => {
  test("are undefined without a field", () => expect(publisherTexts(() => undefined)).toBeUndefined());

  test("are those of the present fields, including an empty one", () => {
    expect(publisherTexts(({ header }) => (header === "x-svc-publisher-key" ? "" : undefined))).toEqual({
      key: "",
    });
    expect(publisherTexts(({ parameter }) => parameter)).toEqual({
      signature: "publisher_signature",
      key: "publisher_key",
      voucher: "publisher_voucher",
      succession: "publisher_succession",
    });
  });
});
