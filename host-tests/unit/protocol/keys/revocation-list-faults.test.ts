/** What is wrong with a list of revoked keys, in words; and that lists at the edges are written and read. */
import { describe, expect, test } from "vitest";
import {
  REVOKED_KEYS_LIMIT,
  readRevocationList,
  revokedKeys,
  writeRevocationList,
} from "../../../../protocol/keys/revocation-list.js";

const KEYS_AT = 12;
const keyOf = (number: number) => Uint8Array.from({ length: 32 }, (_, at) => (at === 31 ? number : 7));
const SIGNER = new Uint8Array(32).fill(0x51);
const SIGNATURE = new Uint8Array(64).fill(0x52);

interface Fields {
  readonly number?: number;
  readonly keys?: readonly Uint8Array[];
  readonly signer?: Uint8Array;
}
const written = ({ number = 1, keys = [], signer = SIGNER }: Fields, sign = () => SIGNATURE) =>
  writeRevocationList({ number, keys, signer, sign });

const rejected = (bytes: Uint8Array) => () => readRevocationList(bytes);
const reason = (text: string) => `Cannot accept the list of revoked keys: ${text}`;

describe("A list of revoked keys", () => {
  test("says why it is rejected", () => {
    const list = written({ keys: [keyOf(1), keyOf(2)] });
    const changed = (at: number, ...bytes: readonly number[]) => {
      const copy = list.slice();
      copy.set(bytes, at);
      return copy;
    };
    expect(rejected(new Uint8Array(107))).toThrow(reason("it is not a list of this format"));
    expect(rejected(changed(5, 1))).toThrow(reason("it is not a list of this format"));
    expect(rejected(changed(6, 129))).toThrow(reason("it has 129 keys, and at most 128 are taken"));
    expect(rejected(changed(8, 0))).toThrow(reason("its number is 0"));
    expect(rejected(list.subarray(1))).toThrow(reason("it is not a list of this format"));
    expect(rejected(list.subarray(0, -1))).toThrow(reason("it has 171 bytes, and says that it has 172"));
    expect(rejected(changed(6, 3))).toThrow(reason("it has 172 bytes, and says that it has 204"));
    expect(rejected(changed(KEYS_AT + 31, 3))).toThrow(reason("its keys are not in order"));
    expect(rejected(changed(KEYS_AT + 31, 2))).toThrow(reason("its keys are not in order"));
  });

  test("may have no keys: 12 bytes, the signer, the signature", () => {
    const list = readRevocationList(written({}));
    expect(list.bytes).toHaveLength(KEYS_AT + 32 + 64);
    expect([list.count, list.signer, list.signature]).toEqual([0, SIGNER, SIGNATURE]);
    expect(list.signedBytes).toEqual(list.bytes.subarray(0, KEYS_AT + 32));
  });

  test("may have as many keys as the limit says", () => {
    const keys = Array.from({ length: REVOKED_KEYS_LIMIT }, (_, at) => keyOf(at));
    const list = readRevocationList(written({ keys: [...keys].reverse() }));
    expect(revokedKeys(list)).toEqual(keys);
    expect([list.signer, list.signature]).toEqual([SIGNER, SIGNATURE]);
  });

  test("is read where it begins within a buffer", () => {
    const bytes = Uint8Array.of(1, 2, 3, ...written({ number: 0x01020304, keys: [keyOf(9)] })).subarray(3);
    expect(readRevocationList(bytes)).toMatchObject({ number: 0x01020304, count: 1 });
  });

  test("has a number up to 4294967295", () => {
    expect(readRevocationList(written({ number: 0xffffffff })).number).toBe(0xffffffff);
    for (const number of [0, -1, 1.5, 2 ** 32, Number.NaN])
      expect(() => written({ number })).toThrow(
        new RangeError(`The number of a list is 1 to 4294967295, not ${number}`),
      );
  });

  test("is signed over all bytes before the signature", () => {
    let signed: Uint8Array | undefined;
    const sign = (message: Uint8Array) => {
      signed = message.slice();
      return SIGNATURE;
    };
    const bytes = writeRevocationList({ number: 1, keys: [keyOf(1)], signer: SIGNER, sign });
    expect(signed).toEqual(bytes.subarray(0, -64));
  });

  test("is not written with a key of another length, or with too many keys", () => {
    for (const length of [0, 31, 33]) {
      const error = new RangeError(`A key has 32 bytes, not ${length}`);
      expect(() => written({ keys: [new Uint8Array(length)] })).toThrow(error);
      expect(() => written({ signer: new Uint8Array(length) })).toThrow(error);
    }
    const keys = Array.from({ length: REVOKED_KEYS_LIMIT + 1 }, (_, at) => keyOf(at));
    expect(() => written({ keys })).toThrow(new RangeError("A list has at most 128 keys, not 129"));
    expect(readRevocationList(written({ keys: [...keys.slice(1), ...keys.slice(1)] })).count).toBe(128);
  });
});
