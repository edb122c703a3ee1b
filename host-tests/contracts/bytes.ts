/** Contract of `indexOf` and `set` of `Uint8Array` on every host (ECMAScript §23.2.3). */
import { bytesOf, type ContractCase, equal, equalBytes, throwsA } from "./assert.js";

/** `Uint8Array` is a global; detaching its buffer needs a method of the host. */
export interface BytesHost {
  detach(buffer: ArrayBuffer): void;
}

/** `indexOf` in `00 01 02 01 ff`: value, start and result. */
const SEARCHES: readonly (readonly [value: unknown, from: unknown, found: number])[] = [
  [1, 0, 1],
  [1, 1, 1],
  [1, 2, 3],
  [1, 4, -1],
  [0, 0, 0],
  [255, 4, 4],
  [255, 5, -1],
  [255, 6, -1],
  [3, 0, -1],
  [-1, 0, -1],
  [256, 0, -1],
  [257, 0, -1],
  [2 ** 32 + 1, 0, -1],
  [1.5, 0, -1],
  [1 + 2 ** -40, 0, -1],
  [-0, 0, 0],
  [Number.NaN, 0, -1],
  [Number.POSITIVE_INFINITY, 0, -1],
  ["1", 0, -1],
  [true, 0, -1],
  [null, 0, -1],
  [undefined, 0, -1],
  [1, undefined, 1],
  [1, Number.NaN, 1],
  [1, "2", 3],
  [1, 1.9, 1],
  [1, -0.9, 1],
  [1, -1, -1],
  [1, -2, 3],
  [1, -3.9, 3],
  [1, -5, 1],
  [1, -6, 1],
  [1, -(2 ** 31), 1],
  [1, -(2 ** 40), 1],
  [1, 2 ** 31, -1],
  [1, 2 ** 32, -1],
  [1, 2 ** 53, -1],
  [1, Number.NEGATIVE_INFINITY, 1],
  [1, Number.POSITIVE_INFINITY, -1],
];

/** `set` of two bytes into four: offset and result, `undefined` for a RangeError. */
const OFFSETS: readonly (readonly [offset: unknown, hex: string | undefined])[] = [
  [undefined, "0a 0b 00 00"],
  [0, "0a 0b 00 00"],
  [Number.NaN, "0a 0b 00 00"],
  [-0.9, "0a 0b 00 00"],
  [1.9, "00 0a 0b 00"],
  ["2", "00 00 0a 0b"],
  [2, "00 00 0a 0b"],
  [2.9, "00 00 0a 0b"],
  [3, undefined],
  [4, undefined],
  [5, undefined],
  [-1, undefined],
  [-(2 ** 31), undefined],
  [2 ** 31 - 1, undefined],
  [2 ** 31, undefined],
  [2 ** 32, undefined],
  [2 ** 32 - 2, undefined],
  [Number.NEGATIVE_INFINITY, undefined],
  [Number.POSITIVE_INFINITY, undefined],
];

export const BYTES_CONTRACT: readonly ContractCase<BytesHost>[] = [
  ...SEARCHES.map(([value, from, found]) => ({
    name: `indexOf(${show(value)}, ${show(from)}) returns ${found}`,
    run() {
      const bytes = Uint8Array.of(0, 1, 2, 1, 255);
      equal(bytes.indexOf(value as number, from as number), found);
      const view = new Uint8Array(Uint8Array.of(1, ...bytes, 1).buffer, 1, bytes.length);
      equal(view.indexOf(value as number, from as number), found, "in a view");
    },
  })),
  ...OFFSETS.map(([offset, hex]) => ({
    name: `set() of two bytes at offset ${show(offset)} of four ${hex === undefined ? "throws a RangeError" : `leaves ${hex}`}`,
    run() {
      const around = new Uint8Array(6);
      const into = around.subarray(1, 5);
      const set = () => into.set(Uint8Array.of(10, 11), offset as number);
      if (hex === undefined) throwsA("RangeError", set);
      else set();
      equalBytes(around, bytesOf(`00 ${hex ?? "00 00 00 00"} 00`));
    },
  })),
  {
    name: "indexOf() starts at 0 by default, and returns -1 without a value and in an empty array",
    run() {
      const indexOf: (this: Uint8Array, ...values: number[]) => number = Uint8Array.prototype.indexOf;
      equal(indexOf.call(Uint8Array.of(0)), -1, "without a value");
      equal(indexOf.call(Uint8Array.of(0), 0), 0, "without a position");
      equal(new Uint8Array(0).indexOf(0), -1, "in no bytes");
    },
  },
  {
    name: "set() copies overlapping bytes of one buffer correctly, upwards and downwards",
    run() {
      const upwards = Uint8Array.of(1, 2, 3, 4, 5, 6);
      upwards.set(upwards.subarray(0, 4), 2);
      equalBytes(upwards, bytesOf("01 02 01 02 03 04"), "upwards");
      const downwards = Uint8Array.of(1, 2, 3, 4, 5, 6);
      downwards.set(downwards.subarray(2));
      equalBytes(downwards, bytesOf("03 04 05 06 05 06"), "downwards");
      upwards.set(upwards);
      equalBytes(upwards, bytesOf("01 02 01 02 03 04"), "onto themselves");
    },
  },
  {
    name: "set() fills the array to its end and rejects one byte more",
    run() {
      const around = new Uint8Array(6);
      const into = around.subarray(1, 5);
      into.set(Uint8Array.of(1, 2, 3, 4));
      into.set(new Uint8Array(0), 4);
      throwsA("RangeError", () => into.set(new Uint8Array(5)), "one more");
      throwsA("RangeError", () => into.set(new Uint8Array(0), 5), "nothing past the end");
      equalBytes(around, bytesOf("00 01 02 03 04 00"));
    },
  },
  {
    name: "set() converts elements that are not bytes",
    run() {
      const bytes = new Uint8Array(4);
      bytes.set([1, -1, 256.5, Number.NaN]);
      equalBytes(bytes, bytesOf("01 ff 00 00"), "of numbers");
      bytes.set(Uint16Array.of(0x102, 0x304), 2);
      equalBytes(bytes, bytesOf("01 ff 02 04"), "of longer elements");
      bytes.set(Int8Array.of(-1, -128));
      equalBytes(bytes, bytesOf("ff 80 02 04"), "of bytes with a sign");
      bytes.set(Uint8ClampedArray.of(300, 7), 1);
      equalBytes(bytes, bytesOf("ff ff 07 04"), "of clamped bytes");
      bytes.set({ length: 2, 0: 8, 1: 9 }, 2);
      equalBytes(bytes, bytesOf("ff ff 08 09"), "of what is like an array");
    },
  },
  {
    name: "set() and indexOf() of other typed arrays work on elements",
    run() {
      const words = new Uint16Array(3);
      words.set(Uint8Array.of(1, 255), 1);
      equal([...words].join(), "0,1,255");
      equal(words.indexOf(255), 2);
      equal(Int8Array.of(1, -1).indexOf(-1), 1, "a byte with a sign");
    },
  },
  {
    name: "indexOf() and set() throw a TypeError for a value that is not an array",
    run() {
      const { indexOf, set } = Uint8Array.prototype;
      for (const value of [undefined, null, {}, "a", 1] as unknown as Uint8Array[]) {
        throwsA("TypeError", () => indexOf.call(value, 0), `searching ${show(value)}`);
        throwsA("TypeError", () => set.call(value, new Uint8Array(0)), `writing to ${show(value)}`);
      }
      for (const value of [undefined, null] as unknown as Uint8Array[])
        throwsA("TypeError", () => new Uint8Array(1).set(value), `copying ${show(value)}`);
    },
  },
  {
    name: "a view that its shrunken buffer no longer covers throws a TypeError until the buffer grows again",
    run() {
      const buffer = resizable(8, 16);
      const view = new Uint8Array(buffer, 4, 4);
      buffer.resize(7);
      throwsA("TypeError", () => view.indexOf(0), "searching it");
      throwsA("TypeError", () => view.set(Uint8Array.of(1)), "writing to it");
      throwsA("TypeError", () => new Uint8Array(8).set(view), "reading from it");
      buffer.resize(16);
      view.set(Uint8Array.of(1), 3);
      throwsA("RangeError", () => view.set(Uint8Array.of(1), 4), "past its end");
      equal(view.indexOf(1), 3);
    },
  },
  {
    name: "a view without a fixed length ends where its buffer ends",
    run() {
      const buffer = resizable(8, 16);
      const view = new Uint8Array(buffer, 4);
      throwsA("RangeError", () => view.set(Uint8Array.of(1), 4));
      buffer.resize(9);
      view.set(Uint8Array.of(1), 4);
      equal(view.indexOf(1), 4);
      buffer.resize(8);
      equal(view.indexOf(1), -1, "once it is gone");
    },
  },
  {
    name: "a view of a detached buffer throws a TypeError",
    run({ detach }) {
      const view = new Uint8Array(4);
      detach(view.buffer);
      throwsA("TypeError", () => view.indexOf(0), "searching it");
      throwsA("TypeError", () => view.set(new Uint8Array(0)), "writing to it");
      throwsA("TypeError", () => new Uint8Array(4).set(view), "reading from it");
    },
  },
  {
    name: "a position whose conversion shrinks the buffer is checked against the remaining bytes",
    run() {
      const buffer = resizable(8, 8);
      const view = new Uint8Array(buffer).fill(1);
      const shrinking = (position: number) =>
        ({
          valueOf() {
            buffer.resize(2);
            return position;
          },
        }) as never;
      equal(view.indexOf(1, shrinking(3)), -1, "searching");
      buffer.resize(8);
      throwsA("RangeError", () => view.set(Uint8Array.of(1), shrinking(2)), "writing");
    },
  },
  {
    name: "a position whose conversion triggers a collection finds the moved bytes",
    run() {
      const bytes = Uint8Array.of(0, 0, 1);
      const costly = (position: number) => ({ valueOf: () => takeMemory(position) }) as never;
      equal(bytes.indexOf(1, costly(1)), 2);
      bytes.set(Uint8Array.of(7), costly(1));
      equalBytes(bytes, bytesOf("00 07 01"));
    },
  },
];

/** ECMAScript 2024, missing from our type library. */
interface ResizableBuffer extends ArrayBuffer {
  resize(byteLength: number): void;
}

function resizable(byteLength: number, maxByteLength: number): ResizableBuffer {
  const Buffer = ArrayBuffer as unknown as new (
    byteLength: number,
    options: { readonly maxByteLength: number },
  ) => ResizableBuffer;
  return new Buffer(byteLength, { maxByteLength });
}

/** Allocates more than is free without a collection. */
function takeMemory(result: number): number {
  for (let round = 0; round < 100; round++) new Uint8Array(4096);
  return result;
}

function show(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
