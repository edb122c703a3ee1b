import { sign, verify } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import {
  isRevokedBy,
  REVOCATIONS_LIMIT_BYTES,
  REVOKED_KEYS_LIMIT,
  readRevocationList,
  revokedKeys,
  writeRevocationList,
} from "../../../../protocol/keys/revocation-list.js";
import { newKeys } from "./certificate-writer.js";

const SIGNER = newKeys();
const written = (number: number, keys: readonly Uint8Array[]) =>
  writeRevocationList({
    number,
    keys,
    signer: SIGNER.publicKey,
    sign: (message) => Uint8Array.from(sign(null, message, SIGNER.privateKey)),
  });
const keyOf = (first: number) => Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? first : 7));
const [ONE, TWO, THREE] = [keyOf(1), keyOf(2), keyOf(3)];
const LIST = written(5, [TWO, ONE]);

describe("A list of revoked keys", () => {
  test("has the form of docs/spec/keys.md", () => {
    expect(Buffer.from(LIST.subarray(0, 12)).toString("hex")).toBe("5356524c0100020005000000");
    expect([...LIST.subarray(12, 76)]).toEqual([...ONE, ...TWO]);
    expect([...LIST.subarray(76, 108)]).toEqual([...SIGNER.publicKey]);
    expect(LIST).toHaveLength(172);
    const { signature, signedBytes, signer, number, count } = readRevocationList(LIST);
    expect([number, count, signer, signedBytes.length]).toEqual([5, 2, SIGNER.publicKey, 108]);
    const publicKey = { key: SIGNER.spki, format: "der", type: "spki" } as const;
    expect(verify(null, signedBytes, publicKey as unknown as Parameters<typeof verify>[2], signature)).toBe(
      true,
    );
  });

  test("contains its keys, and no others", () => {
    const list = readRevocationList(LIST);
    expect([ONE, TWO, THREE].map((key) => isRevokedBy(list, key))).toEqual([true, true, false]);
    expect(revokedKeys(list)).toEqual([ONE, TWO]);
    expect(isRevokedBy(readRevocationList(written(1, [])), ONE)).toBe(false);
  });

  test(`holds up to ${REVOKED_KEYS_LIMIT} keys`, () => {
    const keys = Array.from({ length: REVOKED_KEYS_LIMIT + 1 }, (_, at) => keyOf(at));
    expect(written(1, keys.slice(1))).toHaveLength(REVOCATIONS_LIMIT_BYTES);
    expect(() => written(1, keys)).toThrow(RangeError);
  });

  test("property: is read as written, each key once", () => {
    const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const keys = fc.array(key, { maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0xffffffff }), keys, key, (number, all, other) => {
        const list = readRevocationList(written(number, [...all, ...all]));
        expect(list.number).toBe(number);
        expect(list.count).toBe(new Set(all.map(String)).size);
        expect(all.every((each) => isRevokedBy(list, each))).toBe(true);
        expect(isRevokedBy(list, other)).toBe(all.some((each) => `${each}` === `${other}`));
      }),
    );
  });
});

describe("A list of revoked keys is rejected with", () => {
  const changed = (at: number, ...bytes: readonly number[]) => {
    const copy = Uint8Array.from(LIST);
    copy.set(bytes, at);
    return copy;
  };
  const OTHERS = [
    { name: "nothing", bytes: new Uint8Array(0) },
    { name: "another magic", bytes: changed(0, 0x54) },
    { name: "another format version", bytes: changed(4, 2) },
    { name: "number 0", bytes: changed(8, 0) },
    { name: "a count over its keys", bytes: changed(6, 3) },
    { name: "a count below its keys", bytes: changed(6, 1) },
    { name: "a count of 65535 keys", bytes: changed(6, 0xff, 0xff) },
    { name: "a missing byte", bytes: LIST.subarray(0, -1) },
    { name: "a byte after its end", bytes: Uint8Array.of(...LIST, 0) },
    { name: "keys that are not in order", bytes: changed(12, 3) },
    { name: "a repeated key", bytes: changed(44, 1) },
  ];
  for (const { name, bytes } of OTHERS)
    test(name, () => {
      expect(() => readRevocationList(bytes)).toThrow(
        expect.objectContaining({ code: "revocations_invalid" }),
      );
    });

  test("property: a fault and nothing else, for any other bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isLike) => {
        const file = isLike ? Uint8Array.of(...LIST.subarray(0, 6), ...bytes) : bytes;
        try {
          expect(readRevocationList(file).bytes).toBe(file);
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
        }
      }),
    );
  });
});

test("The number of a list has 32 bits, and starts at 1", () => {
  for (const number of [0, -1, 1.5, 2 ** 32, Number.NaN])
    expect(() => written(number, [])).toThrow(RangeError);
});
