/** Every parameter of the app ABI that is an address, with ranges that are not the app's (docs/spec/app-abi-and-quotas.md). */
import { expect, test } from "vitest";
import { ABI, type AbiFunction, type MemoryRange } from "../../../device/wasm/abi.js";
import { type AbiCall, ALL_CAPABILITIES, harmless, MEMORY_BYTES, moduleOf } from "./abi-calls.js";
import { runGuest } from "./guest-under-test.js";

/** Addresses and lengths that are not the app's. A length is set in the first parameter that makes it. */
const OUTSIDE = [
  { name: "an address at the end of memory", pointer: MEMORY_BYTES, length: 1 },
  { name: "a length that ends one byte past memory", pointer: MEMORY_BYTES - 1, length: 2 },
  { name: "a length far beyond memory", pointer: 8, length: 0x7fff_ffff },
  { name: "an address of -1", pointer: -1, length: 1 },
  { name: "a negative address with a length that wraps around", pointer: -8, length: 16 },
  { name: "a length of -1", pointer: 8, length: -1 },
  { name: "the lowest length", pointer: 8, length: -0x8000_0000 },
];

function withRange(abi: AbiFunction, range: MemoryRange, pointer: number, length: number): number[] {
  const parameters = harmless(abi);
  const set = (name: string, value: number) => {
    parameters[abi.parameters.indexOf(name)] = value;
  };
  for (const name of range.length) set(name, 1);
  set(range.length[0] ?? "", length);
  set(range.pointer, pointer);
  return parameters;
}

for (const abi of ABI.filter(({ bytes }) => bytes?.length))
  test(`${abi.name} traps on every range outside the app's memory`, async () => {
    const calls: AbiCall[] = (abi.bytes ?? []).flatMap((range) =>
      OUTSIDE.map(({ name, pointer, length }) => ({
        entry: `${range.pointer}: ${name}`,
        abi,
        parameters: withRange(abi, range, pointer, length),
      })),
    );
    const { exits } = await runGuest({
      module: moduleOf(calls),
      entries: calls.map(({ entry }) => entry),
      capabilities: ALL_CAPABILITIES,
    });
    for (const { entry } of calls)
      expect([entry, exits.get(entry)?.reason, exits.get(entry)?.message]).toEqual([
        entry,
        "trap",
        "out of bounds memory access",
      ]);
  });
