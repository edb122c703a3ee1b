import { describe, expect, test } from "vitest";
import { FUNCTION_LIMIT, FUNCTION_TABLE_BYTES } from "../../../device/wasm/validation/limits.js";
import { largeModule } from "../../bench/large-module.js";
import { prepare } from "./preparation.js";

const bytesOf = (module: Uint8Array, functionTable?: Uint8Array) => prepare(module, { functionTable }).bytes;

/** A module of as many functions, all of them empty. */
function functions(count: number): Uint8Array {
  const number = (value: number) => [(value & 0x7f) | 0x80, value >> 7];
  const types = [1, 4, 1, 0x60, 0, 0];
  const declarations = [...number(count), ...Array(count).fill(0)];
  const bodies = [...number(count), ...Array(count).fill([2, 0, 0x0b]).flat()];
  const section = (id: number, content: readonly number[]) => [
    id,
    ...[0, 7, 14].map((shift) => ((content.length >> shift) & 0x7f) | (shift < 14 ? 0x80 : 0)),
    ...content,
  ];
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  return Uint8Array.from([...header, ...types, ...section(3, declarations), ...section(10, bodies)]);
}

describe("ModuleValidator with its table of functions outside the heap", () => {
  test("prepares a module of 1 MiB to the same bytes", async () => {
    const module = await largeModule();
    const prepared = bytesOf(module, new Uint8Array(FUNCTION_TABLE_BYTES));
    expect(Buffer.compare(prepared, bytesOf(module))).toBe(0);
  });

  test("accepts a table that begins within its buffer, whatever its content", () => {
    const buffer = new Uint8Array(FUNCTION_TABLE_BYTES + 8).fill(0xff);
    const module = functions(300);
    expect(bytesOf(module, buffer.subarray(8))).toEqual(bytesOf(module));
  });

  test("has room for exactly the maximum number of functions", () => {
    const table = new Uint8Array(FUNCTION_TABLE_BYTES);
    expect(bytesOf(functions(FUNCTION_LIMIT), table)).toEqual(bytesOf(functions(FUNCTION_LIMIT)));
    expect(() => bytesOf(functions(FUNCTION_LIMIT + 1), table)).toThrow("there are more than 6144 functions");
  });
});
