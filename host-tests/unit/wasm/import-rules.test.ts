import { describe, expect, test } from "vitest";
import { ABI } from "../../../device/wasm/abi.js";
import { importRules } from "../../../device/wasm/import-rules.js";
import type { ModuleImport } from "../../../device/wasm/module-facts.js";
import { CAPABILITIES, FIRMWARE_CAPABILITY } from "../../../protocol/capabilities.js";
import * as build from "./module-builder.js";
import { faultOf, validate } from "./preparation.js";

const ALL = [...CAPABILITIES.map(({ name }) => name), FIRMWARE_CAPABILITY] as const;

function asked(name: string, parts: Partial<ModuleImport> = {}): ModuleImport {
  const known = ABI.find((one) => one.name === name);
  return {
    module: "svc",
    name,
    parameters: known?.parameters.map(() => "i32") ?? [],
    results: known ? [known.result] : [],
    offset: 20,
    ...parts,
  };
}

describe("importRules", () => {
  for (const { name, capability } of ABI)
    test(`${name} needs ${capability ?? "no capability"} and nothing else`, () => {
      expect(() => importRules(capability ? [capability] : [])(asked(name))).not.toThrow();
      if (!capability) return;
      const fault = faultOf(() => importRules(ALL.filter((other) => other !== capability))(asked(name)));
      expect([fault.code, fault.status]).toEqual(["capability_missing", 422]);
      expect(fault.message).toContain(`"svc.${name}"`);
      expect(fault.message).toContain(`"${capability}"`);
    });

  test("every function may be declared without its result", () => {
    for (const { name } of ABI)
      expect(() => importRules(ALL)(asked(name, { results: [] })), name).not.toThrow();
  });

  const OTHERS = [
    { what: "another result", parts: { results: ["f32"] as const } },
    { what: "two results", parts: { results: ["i32", "i32"] as const } },
    { what: "one parameter too few", parts: { parameters: ["i32", "i32"] as const } },
    { what: "one parameter too many", parts: { parameters: ["i32", "i32", "i32", "i32"] as const } },
    { what: "a parameter of another type", parts: { parameters: ["i32", "i64", "i32"] as const } },
  ];
  for (const { what, parts } of OTHERS)
    test(`a function with ${what} is rejected with both types`, () => {
      const fault = faultOf(() => importRules(ALL)(asked("log", parts)));
      expect([fault.code, fault.details]).toEqual(["module_invalid", { offset: 20 }]);
      expect(fault.message).toContain("it is (i32, i32, i32) -> i32");
    });

  test("a function that the ABI does not have is named", () => {
    for (const [module, name] of [
      ["svc", "reboot"],
      ["env", "log"],
      ["svc", "log\0"],
      ["svc", "toString"],
    ] as const) {
      const fault = faultOf(() => importRules(ALL)(asked(name, { module })));
      expect([fault.code, fault.message.includes(`"${module}.${name}"`)]).toEqual(["import_unknown", true]);
    }
  });

  test("a name over the limit is not mistaken for its beginning", () => {
    const bytes = build.module({
      types: [{ parameters: [], results: [] }],
      imports: [["svc", "uptime_ms".padEnd(200, "x")]],
    });
    expect(faultOf(() => validate(bytes, { onImport: importRules(ALL) })).code).toBe("import_unknown");
  });

  test("a byte order mark is part of a name: the engine, which compares bytes, would not find the function", () => {
    for (const [module, name] of [
      ["\ufeffsvc", "uptime_ms"],
      ["svc", "\ufeffuptime_ms"],
    ] as const) {
      const bytes = build.module({ types: [{ parameters: [], results: [] }], imports: [[module, name]] });
      const fault = faultOf(() => validate(bytes, { onImport: importRules(ALL) }));
      expect([fault.code, fault.message.includes(`"${module}.${name}"`)]).toEqual(["import_unknown", true]);
    }
  });
});
