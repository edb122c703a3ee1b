/** Voltages, pulses and the I2C bus of the simulated console (docs/spec/app-abi-and-quotas.md#adc). */
import { expect, test } from "vitest";
import { ABI, type AbiFunction } from "../../../device/wasm/abi.js";
import { type AbiCall, ALL_CAPABILITIES, MEMORY_BYTES, moduleOf } from "./abi-calls.js";
import { runGuest } from "./guest-under-test.js";

const call = (name: string, ...parameters: number[]): AbiCall => ({
  entry: `${name} ${parameters.join(" ")}`,
  abi: ABI.find((abi) => abi.name === name) as AbiFunction,
  parameters,
});

/** Without `pins.txt` one sensor is connected, at 0x48 of the bus, and nothing to the pins. */
const RESULTS: readonly (readonly [result: number, ...calls: AbiCall[]])[] = [
  [0, call("adc_read", 1), call("adc_read", 10)],
  [-19, call("adc_read", 0), call("adc_read", 11), call("adc_read", 48)],
  [-22, call("adc_read", -1), call("adc_read", 49), call("adc_read", 0x7fff_ffff)],
  [0, call("pwm_write", 20, 10, 0), call("pwm_write", 20, 40_000, 65_535)],
  [-22, ...[9, 40_001, 0, -1, -0x8000_0000].map((hz) => call("pwm_write", 20, hz, 0))],
  [-22, call("pwm_write", 20, 1000, -1), call("pwm_write", 20, 1000, 65_536), call("pwm_write", 49, 1000, 0)],
  [0, call("i2c_read", 0x48, 0, 0, 2), call("i2c_read", 0x48, -1, 0, 256), call("i2c_write", 0x48, 0, 0)],
  [0, call("i2c_read", 0x48, 255, MEMORY_BYTES - 1, 1), call("i2c_write", 0x48, 0, 256)],
  [-2, call("i2c_read", 0x49, 0, 0, 1), call("i2c_write", 0x77, 0, 0), call("i2c_write", 8, 0, 1)],
  [-22, ...[-1, 0, 7, 0x78, 0x80, 0x148].map((address) => call("i2c_read", address, 0, 0, 1))],
  [-22, ...[-1, 0, 7, 0x78].map((address) => call("i2c_write", address, 0, 1))],
  [-22, call("i2c_read", 0x48, -2, 0, 1), call("i2c_read", 0x48, 256, 0, 1)],
  [-22, call("i2c_read", 0x48, 0, 0, 0), call("i2c_read", 0x48, 0, 0, 257), call("i2c_write", 0x48, 0, 257)],
];

test("voltages, pulses and transfers have these results", async () => {
  const expected = RESULTS.flatMap(([result, ...calls]) => calls.map(({ entry }) => [entry, result]));
  const calls = RESULTS.flatMap(([, ...each]) => each);
  const entries = calls.map(({ entry }) => entry);
  const { exits } = await runGuest({ module: moduleOf(calls), entries, capabilities: ALL_CAPABILITIES });
  expect(entries.map((entry) => [entry, exits.get(entry)?.code])).toEqual(expected);
});

test("an app reads the temperature of a sensor", async () => {
  const { exit } = await runGuest({
    module: `(import "svc" "i2c_read" (func $read (param i32 i32 i32 i32) (result i32))) (memory 1)
      (func (export "main") (result i32)
        (if (call $read (i32.const 0x48) (i32.const 0) (i32.const 8) (i32.const 2)) (then unreachable))
        (i32.load8_s (i32.const 8)))`,
    capabilities: ALL_CAPABILITIES,
  });
  expect(exit.code).toBeGreaterThanOrEqual(20);
  expect(exit.code).toBeLessThanOrEqual(30);
});
