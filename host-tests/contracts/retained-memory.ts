/** Contract of every RetainedMemory while it is in use; each host tests separately that it outlives a restart. */
import type { RetainedMemory } from "../../device/ports/retained-memory.js";
import { ascii, type ContractCase, equal, equalBytes, throwsA } from "./assert.js";

const TEXT = ascii("retained");

export const RETAINED_MEMORY_CONTRACT: readonly ContractCase<RetainedMemory>[] = [
  {
    name: "the memory has at least 1024 bytes",
    run(memory) {
      equal(memory.byteLength >= 1024, true, `${memory.byteLength} bytes are enough`);
    },
  },
  {
    name: "read() returns the written bytes, at both ends and in between",
    run(memory) {
      for (const offset of [0, 1, 500, memory.byteLength - TEXT.length]) {
        memory.write(TEXT, offset);
        const read = new Uint8Array(TEXT.length);
        memory.read(read, offset);
        equalBytes(read, TEXT, `bytes at ${offset}`);
      }
    },
  },
  {
    name: "write() leaves adjacent bytes unchanged",
    run(memory) {
      memory.write(new Uint8Array(memory.byteLength), 0);
      memory.write(TEXT.subarray(2, 6), 100);
      const around = new Uint8Array(12);
      memory.read(around, 96);
      equalBytes(around, ascii("\0\0\0\0tain\0\0\0\0"));
    },
  },
  {
    name: "reads and writes of no bytes work at any offset, the end included",
    run(memory) {
      for (const offset of [0, 10, memory.byteLength]) {
        memory.write(new Uint8Array(0), offset);
        memory.read(new Uint8Array(0), offset);
      }
    },
  },
  {
    name: "a read or write that is not wholly inside throws a RangeError and changes nothing",
    run(memory) {
      const end = memory.byteLength;
      memory.write(new Uint8Array(end), 0);
      for (const offset of [
        -1,
        end - 7,
        end,
        end + 1,
        2 ** 31,
        2 ** 32,
        2 ** 53,
        Number.NaN,
        Infinity,
        -Infinity,
      ]) {
        throwsA("RangeError", () => memory.write(TEXT, offset), `a write at ${offset}`);
        throwsA("RangeError", () => memory.read(new Uint8Array(8), offset), `a read at ${offset}`);
      }
      const all = new Uint8Array(end);
      memory.read(all, 0);
      equalBytes(all, new Uint8Array(end), "the memory");
    },
  },
];
