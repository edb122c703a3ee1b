/** What the drawing functions refuse (docs/spec/display-and-input.md#drawing). */
import { describe, expect, test } from "vitest";
import { ABI, type AbiFunction } from "../../../device/wasm/abi.js";
import { type AbiCall, ALL_CAPABILITIES, MEMORY_BYTES, moduleOf } from "./abi-calls.js";
import { runGuest } from "./guest-under-test.js";

const INVALID = -22;

const call = (name: string, ...parameters: number[]): AbiCall => ({
  entry: `${name} ${parameters.join(" ")}`,
  abi: ABI.find((abi) => abi.name === name) as AbiFunction,
  parameters,
});

/** Sheet of 4 by 2 parts, 8 by 8 pixels each, and a column of pixels that belong to none. */
const sprite = (...[number, transparent, flip]: [number, number, number]) =>
  call("display_sprite", 0, 0, 0, 33, 16, 8, 8, number, transparent, flip);

/** Coordinates that are 0, but for one of them, each in turn. */
function withOneFar(count: number, far: number): number[][] {
  return Array.from({ length: count }, (_, at) =>
    Array.from({ length: count }, (_, index) => (index === at ? far : 0)),
  );
}

const REFUSED: readonly AbiCall[] = [
  call("display_large_text", 0, 0, 0, 0, 0, 0),
  call("display_large_text", 0, 0, 5, 0, 0, 0),
  call("display_large_text", 0, 0, -1, 0, 0, 0),
  sprite(8, -1, 0),
  sprite(-1, -1, 0),
  sprite(0, -1, 4),
  sprite(0, -1, -1),
  call("display_sprite", 0, 0, 0, 8, 8, 9, 8, 0, -1, 0),
  call("display_sprite", 0, 0, 0, 8, 8, 0, 8, 0, -1, 0),
  call("display_sprite", 0, 0, 0, 0, 0, 1, 1, 0, -1, 0),
  ...withOneFar(4, -32_768).map((points) => call("display_line", ...points, 0)),
  ...withOneFar(4, 32_768).map((points) => call("display_line", ...points, 0)),
  ...withOneFar(6, 32_768).map((points) => call("display_triangle", ...points, 0)),
  call("display_circle", 32_768, 0, 1, 0, 0),
  call("display_circle", 0, 0, -1, 0, 0),
  call("display_circle", 0, 0, 32_768, 0, 1),
];

const TAKEN: readonly AbiCall[] = [
  call("display_large_text", 0, 0, 4, 0, 0, 0),
  sprite(7, 0xffff, 3),
  call("display_sprite", 0, 0, 0, MEMORY_BYTES / 2, 1, 1, 1, MEMORY_BYTES / 2 - 1, -1, 0),
  call("display_line", -32_767, 32_767, 32_767, -32_767, 0),
  call("display_triangle", -32_767, 32_767, 32_767, -32_767, 0, 0, 0),
  call("display_circle", -32_767, 32_767, 32_767, 0, 1),
  call("display_clip", -0x8000_0000, 0x7fff_ffff, -1, 0),
  call("display_scroll", -0x8000_0000, 0x7fff_ffff),
];

const TRAPPING: readonly AbiCall[] = [
  call("display_sprite", 0, 0, 2, MEMORY_BYTES / 2, 1, 1, 1, 0, -1, 0),
  call("display_sprite", 0, 0, 0, 0x7fff_ffff, 0x7fff_ffff, 1, 1, 0, -1, 0),
  call("display_sprite", 0, 0, 0, -1, 1, 1, 1, 0, -1, 0),
  call("display_large_text", 0, 0, 1, 0, MEMORY_BYTES, 1),
];

async function endsOf(calls: readonly AbiCall[]) {
  const entries = calls.map(({ entry }) => entry);
  const { exits } = await runGuest({ module: moduleOf(calls), entries, capabilities: ALL_CAPABILITIES });
  return entries.map((entry) => [entry, exits.get(entry)?.code ?? exits.get(entry)?.message]);
}

describe("drawing", () => {
  test("refuses what cannot be drawn", async () => {
    expect(await endsOf(REFUSED)).toEqual(REFUSED.map(({ entry }) => [entry, INVALID]));
  });

  test("takes the largest numbers that it has", async () => {
    expect(await endsOf(TAKEN)).toEqual(TAKEN.map(({ entry }) => [entry, 0]));
  });

  test("traps for a sheet or a text outside the memory", async () => {
    const message = "out of bounds memory access";
    expect(await endsOf(TRAPPING)).toEqual(TRAPPING.map(({ entry }) => [entry, message]));
  });
});
