import { describe, expect, test } from "vitest";
import { ABI, type AbiFunction } from "../../../device/wasm/abi.js";
import { capabilityBit } from "../../../protocol/capabilities.js";
import { ALL_CAPABILITIES, harmless, MEMORY_BYTES, moduleOf, parametersOf } from "./abi-calls.js";
import { runGuest } from "./guest-under-test.js";

describe("memory", () => {
  test("a range of all memory, and an empty range at its end, are allowed", async () => {
    const random = ABI.find(({ name }) => name === "random") as AbiFunction;
    const { exits } = await runGuest({
      module: moduleOf([
        { entry: "all", abi: random, parameters: [0, MEMORY_BYTES] },
        { entry: "empty", abi: random, parameters: [MEMORY_BYTES, 0] },
      ]),
      entries: ["all", "empty"],
    });
    expect([...exits.values()]).toEqual(Array(2).fill({ reason: "exit", code: 0 }));
  });

  test("a blit whose length exceeds 64 bits traps", async () => {
    const blit = ABI.find(({ name }) => name === "display_blit") as AbiFunction;
    const { exit } = await runGuest({
      module: moduleOf([{ entry: "main", abi: blit, parameters: [0, 0, 0x7fff_ffff, 0x7fff_ffff, 0] }]),
      capabilities: ALL_CAPABILITIES,
    });
    expect(exit.message).toBe("out of bounds memory access");
  });
});

describe("capabilities", () => {
  const gated = ABI.flatMap((abi) => (abi.capability ? [{ abi, bit: capabilityBit(abi.capability) }] : []));

  test("every gated function traps if only its capability is missing", async () => {
    for (const bit of new Set(gated.map((each) => each.bit))) {
      const calls = gated
        .filter((each) => each.bit === bit)
        .map(({ abi }) => ({ entry: abi.name, abi, parameters: harmless(abi) }));
      const { exits } = await runGuest({
        module: moduleOf(calls),
        entries: calls.map(({ entry }) => entry),
        capabilities: ALL_CAPABILITIES & ~bit,
      });
      for (const { entry } of calls)
        expect([entry, exits.get(entry)?.message]).toEqual([entry, "capability"]);
    }
  });

  test("every gated function works with only its capability", async () => {
    for (const bit of new Set(gated.map((each) => each.bit))) {
      const calls = gated
        .filter((each) => each.bit === bit)
        .map(({ abi }) => ({ entry: abi.name, abi, parameters: harmless(abi) }));
      const { exits } = await runGuest({
        module: moduleOf(calls),
        entries: calls.map(({ entry }) => entry),
        capabilities: bit,
      });
      for (const { entry } of calls) expect([entry, exits.get(entry)?.reason]).toEqual([entry, "exit"]);
    }
  });

  test("a call through a table needs the capability", async () => {
    const { exit } = await runGuest({
      module: `(import "svc" "display_flush" (func $flush (result i32)))
        (table funcref (elem $flush))
        (func (export "main") (result i32) (call_indirect (result i32) (i32.const 0)))`,
    });
    expect(exit).toMatchObject({ reason: "trap", message: "capability" });
  });

  test("an imported function exported as the entry needs the capability", async () => {
    const { exit } = await runGuest({
      module: `(import "svc" "display_flush" (func $flush (result i32)))
        (export "main" (func $flush))`,
    });
    expect(exit).toMatchObject({ reason: "trap", message: "capability" });
  });
});

describe("imports", () => {
  const REFUSED = [
    {
      name: "an unknown function",
      fields: `(import "svc" "reboot" (func))`,
      message: 'no import "svc.reboot"',
    },
    {
      name: "a function of another module",
      fields: `(import "env" "log" (func (param i32 i32 i32)))`,
      message: 'no import "env.log"',
    },
    {
      name: "a missing parameter",
      fields: `(import "svc" "log" (func (param i32 i32)))`,
      message: 'type of import "svc.log"',
    },
    {
      name: "a wrong parameter type",
      fields: `(import "svc" "sleep_ms" (func (param i64)))`,
      message: 'type of import "svc.sleep_ms"',
    },
    {
      name: "a wrong result type",
      fields: `(import "svc" "uptime_ms" (func (result i32)))`,
      message: 'type of import "svc.uptime_ms"',
    },
    {
      name: "an extra result",
      fields: `(import "svc" "buttons" (func (result i32 i32)))`,
      message: 'type of import "svc.buttons"',
    },
  ];
  for (const { name, fields, message } of REFUSED)
    test(`an import with ${name} prevents the start`, async () => {
      const { exit } = await runGuest({
        module: `${fields} (func $start unreachable) (start $start) (func (export "main"))`,
      });
      expect(exit).toEqual({ reason: "host_error", message });
    });

  test("every function can be imported without its result", async () => {
    const { exit } = await runGuest({
      module: `${ABI.map((abi) => `(import "svc" "${abi.name}" (func $${abi.name} ${parametersOf(abi)}))`).join("\n")}
        (func (export "main") (call $uptime_ms) (call $sleep_ms (i32.const 1)))`,
    });
    expect(exit).toEqual({ reason: "exit", code: 0 });
  });

  test("a function can be imported twice with different result types", async () => {
    const { exit } = await runGuest({
      module: `(import "svc" "sleep_ms" (func $a (param i32)))
        (import "svc" "sleep_ms" (func $b (param i32) (result i32)))
        (func (export "main") (result i32) (call $a (i32.const 0)) (call $b (i32.const -1)))`,
    });
    expect(exit).toEqual({ reason: "exit", code: -22 });
  });
});
