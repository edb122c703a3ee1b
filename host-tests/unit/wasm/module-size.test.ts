/** The largest modules. */
import { describe, expect, test } from "vitest";
import { FUNCTION_LIMIT } from "../../../device/sandbox/validator/limits.js";
import { largeModule } from "../../bench/large-module.js";
import { expectedPreparation } from "./expected-preparation.js";
import { prepare } from "./preparation.js";

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

describe("ModulePreparer", () => {
  test("prepares a module of 1 MiB to the bytes that the oracle expects", async () => {
    const module = await largeModule();
    expect(Buffer.compare(prepare(module).bytes, expectedPreparation(module).bytes)).toBe(0);
  });

  test("has room for exactly the maximum number of functions", () => {
    const largest = functions(FUNCTION_LIMIT);
    expect(prepare(largest).bytes).toEqual(expectedPreparation(largest).bytes);
    expect(() => prepare(functions(FUNCTION_LIMIT + 1))).toThrow("there are more than 6144 functions");
  });
});
