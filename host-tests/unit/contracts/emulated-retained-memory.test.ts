import { expect, test } from "vitest";
import { RETAINED_MEMORY_CONTRACT } from "../../contracts/retained-memory.js";
import { EmulatedRetainedMemory } from "../../hosts/emulated-retained-memory.js";
import { runContract } from "./run-contract.js";

runContract("EmulatedRetainedMemory", RETAINED_MEMORY_CONTRACT, () => new EmulatedRetainedMemory());

test("EmulatedRetainedMemory forgets everything when it loses power", () => {
  const memory = new EmulatedRetainedMemory(1024);
  const written = new Uint8Array(16).fill(0x55);
  memory.write(written, 100);
  memory.losePower();
  const read = new Uint8Array(16);
  memory.read(read, 100);
  expect(read).not.toEqual(written);
  expect(read).not.toEqual(new Uint8Array(16));
});
