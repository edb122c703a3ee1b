import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModuleImport } from "../../../device/wasm/module-facts.js";
import * as build from "./module-builder.js";
import { F32, I32, I64 } from "./module-builder.js";
import { faultOf, prepare, validate } from "./preparation.js";

const { module, PREAMBLE, section, times } = build;
const PAGE_BYTES = 65_536;

function code(...bytes: number[]): Uint8Array {
  return module({ functions: [{ code: bytes }] });
}

function raw(...bytes: number[]): Uint8Array {
  return Uint8Array.from([...PREAMBLE, ...bytes]);
}

/** Offset of the first instruction of `code(…)`. */
const CODE = 8 + 6 + 4 + 5;

const INVALID = [
  { what: "an empty file", bytes: Uint8Array.of(), offset: 0, reason: "ends too early" },
  {
    what: "another kind of file",
    bytes: Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 1, 0, 0, 0),
    offset: 0,
    reason: "begin",
  },
  {
    what: "another version",
    bytes: Uint8Array.of(0, 0x61, 0x73, 0x6d, 2, 0, 0, 0),
    offset: 4,
    reason: "version 2",
  },
  { what: "a section of unknown kind", bytes: raw(14, 0), offset: 8, reason: "no section of kind 14" },
  { what: "sections out of order", bytes: raw(3, 1, 0, 1, 1, 0), offset: 11, reason: "out of order" },
  { what: "a repeated section", bytes: raw(1, 1, 0, 1, 1, 0), offset: 11, reason: "comes twice" },
  {
    what: "a section longer than its contents",
    bytes: raw(1, 2, 0, 0),
    offset: 11,
    reason: "follow the end",
  },
  {
    what: "a section shorter than its contents",
    bytes: raw(1, 2, 1, 0x60, 0, 0),
    offset: 12,
    reason: "too early",
  },
  {
    what: "a number of six bytes",
    bytes: raw(1, 0x80, 0x80, 0x80, 0x80, 0x80, 0),
    offset: 9,
    reason: "32 bits",
  },
  { what: "a number of 33 bits", bytes: raw(1, 0x80, 0x80, 0x80, 0x80, 0x10), offset: 9, reason: "32 bits" },
  {
    what: "a number of 65 bits",
    bytes: code(0x42, ...times(9, [0x80]), 0x02, 0x1a),
    offset: CODE + 10,
    reason: "64 bits",
  },
  { what: "a name that is not UTF-8", bytes: raw(0, 3, 2, 0xc0, 0x80), offset: 11, reason: "UTF-8" },
  { what: "a name cut within a character", bytes: raw(0, 2, 1, 0xc3), offset: 12, reason: "UTF-8" },
  {
    what: "functions without code",
    bytes: raw(1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0),
    offset: 18,
    reason: "no code",
  },
  { what: "an unknown instruction", bytes: code(0xff), offset: CODE, reason: "0xff is not an instruction" },
  { what: "a missing operand", bytes: code(0x41, 1, 0x6a, 0x1a), offset: CODE + 2, reason: "i32 is missing" },
  {
    what: "an operand of another type",
    bytes: code(0x42, 1, 0x45, 0x1a),
    offset: CODE + 2,
    reason: "i64, not i32",
  },
  { what: "an excess operand", bytes: code(0x41, 1), offset: CODE + 2, reason: "1 operands too many" },
  {
    what: "an operand from outside the block",
    bytes: code(0x41, 1, 0x02, 0x40, 0x1a, 0x0b, 0x1a),
    offset: CODE + 4,
    reason: "missing",
  },
  { what: "an unknown local", bytes: code(0x20, 3, 0x1a), offset: CODE, reason: "no local 3" },
  { what: "an unknown global", bytes: code(0x23, 0, 0x1a), offset: CODE, reason: "no global 0" },
  { what: "an unknown function", bytes: code(0x10, 1), offset: CODE, reason: "no function 1" },
  { what: "an unknown label", bytes: code(0x0c, 1), offset: CODE, reason: "no label 1" },
  { what: "memory without one", bytes: code(0x3f, 0, 0x1a), offset: CODE, reason: "no memory" },
  { what: "an else without an if", bytes: code(0x05), offset: CODE, reason: "outside an if" },
  { what: "code after the function's end", bytes: code(0x0b), offset: CODE + 1, reason: "follow the end" },
  { what: "an unfinished block", bytes: code(0x02, 0x40), offset: CODE + 3, reason: "too early" },
  {
    what: "an if with a result and no else",
    bytes: code(0x41, 1, 0x04, I32, 0x41, 1, 0x0b, 0x1a),
    offset: CODE + 6,
    reason: "without else",
  },
  {
    what: "targets with different value types",
    bytes: code(0x02, 0x40, 0x02, I32, 0x41, 0, 0x41, 0, 0x0e, 1, 0, 1, 0x0b, 0x1a, 0x0b),
    offset: CODE + 11,
    reason: "different values",
  },
  {
    what: "an alignment that is too large",
    bytes: module({ memory: [0, 1], functions: [{ code: [0x41, 0, 0x28, 3, 0, 0x1a] }] }),
    offset: CODE + 5 + 3,
    reason: "alignment",
  },
  {
    what: "a repeated export",
    bytes: module({
      memory: [0, 1],
      exports: [
        ["m", 2, 0],
        ["m", 2, 0],
      ],
    }),
    offset: 22,
    reason: '"m" is exported twice',
  },
  {
    what: "an assignment to a constant",
    bytes: module({ globals: [[I32, 0, 0x41, 0, 0x0b]], functions: [{ code: [0x41, 0, 0x24, 0] }] }),
    offset: CODE + 8 + 2,
    reason: "global 0 cannot be set",
  },
  {
    what: "more memory than possible",
    bytes: module({ memory: [0, ...build.leb(65_537)] }),
    offset: 11,
    reason: "65536 pages",
  },
  {
    what: "a start function with parameters",
    bytes: module({ functions: [{ parameters: [I32], code: [] }], start: 0 }),
    offset: 21,
    reason: "start function",
  },
  { what: "data without memory", bytes: raw(11, 6, 1, 0, 0x41, 0, 0x0b, 0), offset: 11, reason: "no memory" },
  {
    what: "a data count that does not match",
    bytes: raw(5, 3, 1, 0, 1, 12, 1, 2, 11, 1, 0),
    offset: 18,
    reason: "data count is 2",
  },
];

describe("ModulePreparer", () => {
  for (const { what, bytes, offset, reason } of INVALID)
    test(`rejects ${what} and names the byte`, () => {
      const fault = faultOf(() => validate(bytes));
      expect(fault.message).toContain(reason);
      expect(fault.message).toContain(`at byte ${offset}:`);
      expect([fault.code, fault.status, fault.details?.["offset"]]).toEqual(["module_invalid", 422, offset]);
    });
});

const UNSUPPORTED = [
  { feature: "SIMD", bytes: code(0xfd, 0x0c, ...times(16, [0]), 0x1a) },
  { feature: "SIMD", bytes: module({ functions: [{ locals: [[1, 0x7b]], code: [] }] }) },
  { feature: "threads", bytes: raw(5, 4, 1, 3, 1, 1) },
  { feature: "memory64", bytes: raw(5, 3, 1, 4, 1) },
  { feature: "multiple memories", bytes: raw(5, 5, 2, 0, 1, 0, 1) },
  { feature: "tail calls", bytes: code(0x12, 0) },
  { feature: "exception handling", bytes: code(0x06, 0x40, 0x0b) },
  { feature: "exception handling", bytes: raw(13, 1, 0) },
  { feature: "reference types", bytes: code(0xd0, 0x70, 0x1a) },
  { feature: "reference types", bytes: code(0x41, 0, 0x41, 0, 0x41, 0, 0x1c, 1, I32, 0x1a) },
  { feature: "reference types", bytes: raw(4, 7, 2, 0x70, 0, 0, 0x70, 0, 0) },
  { feature: "bulk memory", bytes: module({ memory: [0, 1], last: section(11, [1, 1, 0]) }) },
  { feature: "bulk memory", bytes: code(0xfc, 9, 0) },
  { feature: "garbage collection", bytes: raw(1, 3, 1, 0x5f, 0) },
  { feature: "extended constant expressions", bytes: raw(6, 10, 1, I32, 0, 0x41, 0, 0x41, 0, 0x6a, 0x0b) },
  {
    feature: "element segment outside the table",
    bytes: module({ table: 1, functions: [{ code: [] }], elements: [[0, 0x41, 1, 0x0b, 1, 0]] }),
  },
];

describe("ModulePreparer, beyond the engine's features", () => {
  for (const { feature, bytes } of UNSUPPORTED)
    test(`names ${feature} as not supported (${Buffer.from(bytes.slice(8)).toString("hex")})`, () => {
      const fault = faultOf(() => validate(bytes));
      expect([fault.code, fault.details?.["feature"]]).toEqual(["module_unsupported", feature]);
      expect(fault.message).toContain("at byte");
    });
});

const SUPPORTED = [
  { what: "sign extension", bytes: code(0x41, 1, 0xc0, 0x1a) },
  { what: "saturating conversions", bytes: code(0x43, 0, 0, 0, 0, 0xfc, 0, 0x1a) },
  {
    what: "several results",
    bytes: module({ functions: [{ results: [I32, I64], code: [0x41, 1, 0x42, 2] }] }),
  },
  {
    what: "blocks with parameters",
    bytes: module({
      types: [{ parameters: [I32], results: [I32] }],
      functions: [{ code: [0x41, 1, 0x02, 0, 0x0b, 0x1a] }],
    }),
  },
  {
    what: "memory.copy and memory.fill",
    bytes: module({
      memory: [0, 1],
      functions: [{ code: [...times(3, [0x41, 0]), 0xfc, 10, 0, 0, ...times(3, [0x41, 0]), 0xfc, 11, 0] }],
    }),
  },
  { what: "a data count", bytes: raw(5, 3, 1, 0, 1, 12, 1, 1, 11, 6, 1, 0, 0x41, 0, 0x0b, 0) },
  { what: "numbers with padding", bytes: raw(1, 0x81, 0x80, 0x80, 0x80, 0x00, 0) },
  { what: "any operand in unreachable code", bytes: code(0x00, 0x6a, 0x1a) },
];

describe("ModulePreparer, within the engine's features", () => {
  for (const { what, bytes } of SUPPORTED)
    test(`accepts ${what}`, () => {
      expect(validate(bytes).byteLength).toBe(bytes.length);
    });
});

const LIMITED: readonly (readonly [limit: string, most: Uint8Array, more: Uint8Array])[] = [
  ["NESTING_LIMIT", nested(511), nested(512)],
  ["LOOP_NESTING_LIMIT", loops(32), loops(33)],
  ["OPERAND_LIMIT", operands(255), operands(256)],
  ["LOCAL_LIMIT", locals(1100), locals(1101)],
  ["PARAMETER_LIMIT", parameters(128), parameters(129)],
  ["BRANCH_TABLE_LIMIT", targets(4096), targets(4097)],
  ["SLOT_LIMIT", chainOfCalls(1000), chainOfCalls(2000)],
  ["STACK_HEIGHT_LIMIT", nestedResults(40), nestedResults(90)],
  ["COMPILE_STEP_LIMIT", costly(500), costly(3000)],
  ["FUNCTION_LIMIT", functions(6144), functions(6145)],
  ["TABLE_LIMIT_ELEMENTS", module({ table: 16_384 }), module({ table: 16_385 })],
  ["EXPORT_LIMIT", exportsOf(768), exportsOf(769)],
  ["GLOBAL_LIMIT", globals(4096), globals(4097)],
  ["RESULT_LIMIT", results(32), results(33)],
  ["TYPE_LIMIT", types(1024), types(1025)],
  ["NAME_LIMIT_BYTES", named(10_000), named(10_001)],
  ["GROWTH_LIMIT_BYTES", code(0x00, ...times(32_767, [0x01])), code(0x00, ...times(32_768, [0x01]))],
];

function nested(depth: number): Uint8Array {
  return code(...times(depth, [0x02, 0x40]), ...times(depth, [0x0b]));
}
function loops(depth: number): Uint8Array {
  return code(...times(depth, [0x03, 0x40]), ...times(depth, [0x0b]));
}
function operands(count: number): Uint8Array {
  return code(...times(count, [0x41, 0]), ...times(count, [0x1a]));
}
function locals(count: number): Uint8Array {
  return module({ functions: [{ locals: [[count, I64]], code: [] }] });
}
function parameters(count: number): Uint8Array {
  return module({ functions: [{ parameters: times(count, [F32]), code: [] }] });
}
function results(count: number): Uint8Array {
  return module({ functions: [{ results: times(count, [I32]), code: [0x00] }] });
}
function types(count: number): Uint8Array {
  return raw(...section(1, [...build.leb(count), ...times(count, [0x60, 0, 0])]));
}
function globals(count: number): Uint8Array {
  return module({ globals: Array.from({ length: count }, () => [I32, 0, 0x41, 0, 0x0b]) });
}
function exportsOf(count: number): Uint8Array {
  return module({
    memory: [0, 1],
    exports: Array.from({ length: count }, (_, index) => [`m${index}`, 2, 0]),
  });
}
function named(byteLength: number): Uint8Array {
  return raw(...build.custom("a".repeat(byteLength), []));
}
function targets(count: number): Uint8Array {
  return code(0x41, 0, 0x0e, ...build.leb(count), ...times(count + 1, [0]));
}
/** `f(f(f(…)))`: each result goes above the one before, past the end of the engine's table. */
function chainOfCalls(count: number): Uint8Array {
  return module({
    functions: [{ parameters: [I32], results: [I32], code: [0x20, 0, ...times(count, [0x10, 0])] }],
  });
}
function nestedResults(depth: number): Uint8Array {
  const types = [{ parameters: [], results: times(20, [I32]) }];
  const block = [
    ...times(depth, [0x02, 0]),
    ...times(20, [0x41, 0]),
    ...times(depth, [0x0b]),
    ...times(20, [0x1a]),
  ];
  return module({ types, functions: [{ code: block }] });
}
function costly(blocks: number): Uint8Array {
  const held = [...times(200, [0x20, 0]), ...times(blocks, [0x02, 0x40, 0x0b]), ...times(200, [0x1a])];
  return module({ functions: [{ locals: [[1000, I32]], code: held }] });
}
function functions(count: number): Uint8Array {
  const indices = section(3, [...build.leb(count), ...times(count, [0])]);
  const bodies = section(10, [...build.leb(count), ...times(count, [2, 0, 0x0b])]);
  return raw(...section(1, [1, 0x60, 0, 0]), ...indices, ...bodies);
}

describe("ModulePreparer at its limits", () => {
  for (const [limit, most, more] of LIMITED)
    test(`accepts exactly what ${limit} allows`, () => {
      expect(() => validate(most)).not.toThrow();
      const fault = faultOf(() => validate(more));
      expect([fault.code, fault.details?.["limit"]]).toEqual(["module_unsupported", limit]);
    });

  test("is not misled by counts that no module can have", () => {
    for (const id of [1, 2, 3, 6, 7, 9, 11]) {
      const lying = raw(id, 6, 0xff, 0xff, 0xff, 0xff, 0x0f, 0);
      expect(() => validate(lying)).toThrow(/module at byte/);
    }
  });
});

describe("ModuleFacts", () => {
  const whole = module({
    types: [{ parameters: [I32], results: [] }],
    imports: [["svc", "exit"]],
    memory: [1, 2, 100],
    table: 3,
    globals: [[I32, 1, 0x41, 0, 0x0b]],
    functions: [{ code: [0x03, 0x40, 0x0b] }, { parameters: [I32, I32], results: [I32], code: [0x41, 0] }],
    exports: [["main", 0, 2]],
    start: 1,
    last: [...build.custom("svc_manifest", [1, 2, 3]), ...build.custom("svc_py_script", [4, 5])],
  });

  test("have memory, entry, counts and sections of the module", () => {
    const facts = validate(whole, { entry: "main", memoryQuotaBytes: 10 * PAGE_BYTES + 5 });
    expect(facts).toMatchObject({
      byteLength: whole.length,
      memory: { initialPages: 2, maximumPages: 100, preparedMaximumPages: 10 },
      tableElements: 3,
      hasStart: true,
      entry: { functionIndex: 2, takesArguments: true, givesResult: true },
      importedFunctions: 1,
      ownFunctions: 2,
      interruptGlobal: 1,
      deepestLoop: 1,
      deepestBlock: 2,
    });
    const { manifest, script } = facts;
    expect(manifest && [...whole.subarray(manifest.offset, manifest.offset + manifest.byteLength)]).toEqual([
      1, 2, 3,
    ]);
    expect(script && [...whole.subarray(script.offset, script.offset + script.byteLength)]).toEqual([4, 5]);
  });

  test("have the script's place in the prepared module", () => {
    const { facts, bytes } = prepare(whole);
    const { script } = facts;
    expect(
      script && [...bytes.subarray(script.preparedOffset, script.preparedOffset + script.byteLength)],
    ).toEqual([4, 5]);
  });

  test("are the same however the module is split", () => {
    const { bytes: prepared } = prepare(whole);
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 20 }), (cuts) => {
        expect(prepare(whole, {}, cuts).bytes).toEqual(prepared);
      }),
    );
    const everyByte = Array.from(whole, (_, index) => index);
    expect(prepare(whole, {}, everyByte).bytes).toEqual(prepared);
  });

  test("faults are the same however the module is split", () => {
    for (const { bytes } of INVALID) {
      const { message } = faultOf(() => validate(bytes));
      const everyByte = Array.from(bytes, (_, index) => index);
      expect(faultOf(() => validate(bytes, {}, everyByte)).message).toBe(message);
    }
  });
});

describe("ModulePreparer for an app", () => {
  const ENTRIES = [
    { why: "no export has that name", parts: { functions: [{ code: [] }] } },
    { why: "it is a memory", parts: { memory: [0, 1], exports: [["main", 2, 0]] } },
    {
      why: "its type must be () or (i32, i32)",
      parts: { functions: [{ parameters: [I64], code: [] }], exports: [["main", 0, 0]] },
    },
    {
      why: "returning nothing or i32",
      parts: { functions: [{ results: [F32], code: [0x43, 0, 0, 0, 0] }], exports: [["main", 0, 0]] },
    },
  ] as const;
  for (const { why, parts } of ENTRIES)
    test(`rejects an entry if ${why}`, () => {
      const fault = faultOf(() => validate(module(parts), { entry: "main" }));
      expect([fault.code, fault.message.includes(why)]).toEqual(["entry_missing", true]);
    });

  test("rejects more initial memory than the quota", () => {
    const bytes = module({ memory: [0, 2] });
    expect(() => validate(bytes, { memoryQuotaBytes: 2 * PAGE_BYTES })).not.toThrow();
    expect(faultOf(() => validate(bytes, { memoryQuotaBytes: 2 * PAGE_BYTES - 1 })).code).toBe(
      "quota_exceeded",
    );
  });

  test("checks every imported function in turn", () => {
    const asked: ModuleImport[] = [];
    const types = [{ parameters: [I32, F32], results: [I64] }];
    validate(
      module({
        types,
        imports: [
          ["svc", "log"],
          ["env", "größe"],
        ],
      }),
      { onImport: (one) => asked.push(one) },
    );
    expect(asked).toEqual([
      { module: "svc", name: "log", parameters: ["i32", "f32"], results: ["i64"], offset: 21 },
      { module: "env", name: "größe", parameters: ["i32", "f32"], results: ["i64"], offset: 31 },
    ]);
  });

  for (const [kind, what, type] of [
    [1, "table", [0x70, 0, 0]],
    [2, "memory", [0, 1]],
    [3, "global", [I32, 0]],
  ] as const)
    test(`rejects an imported ${what}`, () => {
      const bytes = raw(...section(2, [1, ...build.name("env"), ...build.name("x"), kind, ...type]));
      const fault = faultOf(() => validate(bytes));
      expect([fault.code, fault.message.includes(`${what} "env.x"`)]).toEqual(["import_unknown", true]);
    });
});
