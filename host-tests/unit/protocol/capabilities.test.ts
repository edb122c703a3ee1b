/** Capabilities as names and as bits (docs/spec/capabilities.md#bits). */
import { expect, test } from "vitest";
import { CAPABILITIES, capabilityBit, capabilityBits, isCapability } from "../../../protocol/capabilities.js";
import { Fault } from "../../../protocol/fault.js";

const BITS = {
  "display.write": 0x01,
  "gpio.read": 0x02,
  "gpio.write": 0x04,
  "storage.read": 0x08,
  "storage.write": 0x10,
  "network.use": 0x20,
  "ble.use": 0x40,
  "app.control": 0x80,
  "sound.play": 0x100,
} as const;

test("each capability has the bit of its place in the specification", () => {
  expect(Object.fromEntries(CAPABILITIES.map(({ name }) => [name, capabilityBit(name)]))).toEqual(BITS);
});

test("each name of a capability is one, and nothing else is", () => {
  for (const name of Object.keys(BITS)) expect(isCapability(name), name).toBe(true);
  for (const name of ["", "display", "display.write ", "Display.write", "toString"])
    expect(isCapability(name), name).toBe(false);
});

test("the bits of several capabilities are combined, repeated names included", () => {
  expect(capabilityBits([])).toBe(0);
  expect(capabilityBits(["gpio.read", "network.use", "gpio.read"])).toBe(0x22);
  expect(capabilityBits(Object.keys(BITS))).toBe(0x1ff);
});

test("an unknown name is refused", () => {
  const refusal = new Fault("manifest_invalid", 'There is no capability "gpio"');
  expect(() => capabilityBits(["gpio.read", "gpio"])).toThrow(refusal);
});
