/** Contract of every Crc32: the CRC-32 of IEEE 802.3, as in zip. */
import type { Crc32Constructor } from "../../protocol/ports/crypto.js";
import { ascii, type ContractCase, equal, throws, throwsA } from "./assert.js";

const CHECK = ascii("123456789");

export const CRC32_CONTRACT: readonly ContractCase<Crc32Constructor>[] = [
  {
    name: "the CRC of 123456789 is the check value of the algorithm",
    run(Crc32) {
      equal(new Crc32().checksum(CHECK), 0xcbf43926);
    },
  },
  {
    name: "the CRC of no bytes is 0",
    run(Crc32) {
      equal(new Crc32().checksum(new Uint8Array(0)), 0);
    },
  },
  {
    name: "a checksum above 2 to the 31 is positive",
    run(Crc32) {
      equal(new Crc32().checksum(Uint8Array.of(0)), 0xd202ef8d);
      equal(new Crc32().checksum(new Uint8Array(32).fill(0xff)), 0xff6cab0b);
    },
  },
  {
    name: "checksum() covers all bytes since the start, for any split in two",
    run(Crc32) {
      for (let split = 0; split <= CHECK.length; split++) {
        const crc = new Crc32();
        crc.checksum(CHECK.subarray(0, split));
        equal(crc.checksum(CHECK.subarray(split)), 0xcbf43926, `checksum of ${split} bytes and the rest`);
      }
    },
  },
  {
    name: "checksum() of no bytes returns the checksum unchanged",
    run(Crc32) {
      const crc = new Crc32();
      crc.checksum(CHECK);
      equal(crc.checksum(new Uint8Array(0)), 0xcbf43926);
    },
  },
  {
    name: "unaligned bytes give the same checksum as single bytes, for all lengths up to some words",
    run(Crc32) {
      const bytes = new Uint8Array(64).map((_, index) => index * 37 + 11);
      for (let start = 0; start < 8; start++)
        for (let end = start; end <= bytes.length; end += 3) {
          const single = new Crc32();
          let expected = 0;
          for (let at = start; at < end; at++) expected = single.checksum(bytes.subarray(at, at + 1));
          equal(new Crc32().checksum(bytes.subarray(start, end)), expected, `checksum of ${start} to ${end}`);
        }
    },
  },
  {
    name: "append() of a checksum is checksum() of its bytes, for all lengths up to some words and for long ones",
    run(Crc32) {
      for (const byteLength of [...Array(70).keys(), 255, 256, 1000, 2048, 4095, 5000]) {
        const bytes = new Uint8Array(byteLength).map((_, index) => index * 73 + byteLength);
        const whole = new Crc32();
        const appended = new Crc32();
        equal(appended.checksum(CHECK), whole.checksum(CHECK));
        const expected = whole.checksum(bytes);
        equal(appended.append(new Crc32().checksum(bytes), byteLength), expected, `${byteLength} bytes`);
        equal(appended.checksum(CHECK), whole.checksum(CHECK), `what comes after ${byteLength} bytes`);
      }
    },
  },
  {
    name: "append() takes lengths up to 4 GiB, as those of zeros",
    run(Crc32) {
      const crc = new Crc32();
      crc.checksum(CHECK);
      let zeros = new Crc32().checksum(Uint8Array.of(0));
      for (let byteLength = 1; byteLength < 2 ** 31; byteLength *= 2) {
        const half = new Crc32();
        half.append(zeros, byteLength);
        zeros = half.append(zeros, byteLength);
      }
      equal(crc.append(zeros, 2 ** 31), 0x0cb0d0d6);
    },
  },
  {
    name: "append() rejects what is no checksum or no length, and ignores it",
    run(Crc32) {
      const crc = new Crc32();
      crc.checksum(CHECK);
      for (const value of [-1, 0.5, 2 ** 32 - 0.5, 2 ** 32, Number.NaN, undefined, {}] as number[]) {
        throwsA("RangeError", () => crc.append(value, 1), `the checksum ${String(value)}`);
        throwsA("RangeError", () => crc.append(1, value), `the length ${String(value)}`);
      }
      equal(crc.append(0, 0), 0xcbf43926);
    },
  },
  {
    name: "concurrent checksums are independent",
    run(Crc32) {
      const a = new Crc32();
      const b = new Crc32();
      a.checksum(CHECK.subarray(0, 4));
      b.checksum(ascii("something else"));
      equal(a.checksum(CHECK.subarray(4)), 0xcbf43926);
    },
  },
  {
    name: "checksum() rejects arguments that are not bytes, and ignores them",
    run(Crc32) {
      const crc = new Crc32();
      crc.checksum(CHECK.subarray(0, 4));
      for (const value of [undefined, null, 1, {}])
        throws(() => crc.checksum(value as unknown as Uint8Array), `the checksum of ${value}`);
      equal(crc.checksum(CHECK.subarray(4)), 0xcbf43926);
    },
  },
];
