import { describe, expect, test } from "vitest";
import { ModulePreparer } from "../../../device/wasm/module-preparer.js";
import { loadSandbox } from "../../../tools/sandbox.js";
import * as build from "./module-builder.js";
import { I32 } from "./module-builder.js";
import { inPieces, prepare } from "./preparation.js";
import { instantiate, invoke } from "./v8.js";

const { custom, module, PREAMBLE, section, times } = build;
const PAGE_BYTES = 65_536;
/** The interrupt as a section of its own. */
const INTERRUPT = [6, 6, 1, I32, 1, 0x41, 0, 0x0b];

/** What is prepared of a function without parameters and results. */
function prepared(...code: number[]): number[] {
  return [...prepare(module({ functions: [{ code }] })).bytes];
}

function expected(...code: number[]): number[] {
  const body = [0, ...code, 0x0b];
  return [
    ...PREAMBLE,
    ...section(1, [1, 0x60, 0, 0]),
    ...section(3, [1, 0]),
    ...INTERRUPT,
    ...section(10, [1, ...build.leb(body.length), ...body]),
  ];
}

describe("ModulePreparer, second pass", () => {
  test("adds the interrupt to an empty module", () => {
    expect([...prepare(Uint8Array.from(PREAMBLE)).bytes]).toEqual([...PREAMBLE, ...INTERRUPT]);
  });

  test("adds the interrupt after the other globals", () => {
    const bytes = module({ globals: [[I32, 0, 0x41, 7, 0x0b]] });
    const globals = section(6, [2, I32, 0, 0x41, 7, 0x0b, I32, 1, 0x41, 0, 0x0b]);
    expect([...prepare(bytes).bytes]).toEqual([...PREAMBLE, ...globals]);
  });

  test("puts a section of globals into its place, among custom sections", () => {
    const bytes = module({ memory: [1, 1, 1], exports: [["m", 2, 0]] });
    const [before, between] = [custom("a", []), custom("b", [])];
    const memoryEnd = PREAMBLE.length + 6;
    const whole = [...bytes.slice(0, memoryEnd), ...before, ...bytes.slice(memoryEnd), ...between];
    expect([...prepare(Uint8Array.from(whole)).bytes]).toEqual([
      ...bytes.slice(0, memoryEnd),
      ...before,
      ...INTERRUPT,
      ...bytes.slice(memoryEnd),
      ...between,
    ]);
  });

  const MAXIMA = [
    { what: "gets the quota if it has none", memory: [0, 1], quota: 5 * PAGE_BYTES, pages: 5 },
    { what: "stays below the quota", memory: [1, 1, 3], quota: 5 * PAGE_BYTES, pages: 3 },
    { what: "is lowered to the quota", memory: [1, 1, 9], quota: 5 * PAGE_BYTES + 1, pages: 5 },
    { what: "stays 0", memory: [1, 0, 0], quota: 5 * PAGE_BYTES, pages: 0 },
  ];
  for (const { what, memory, quota, pages } of MAXIMA)
    test(`the memory's maximum ${what}`, () => {
      const { bytes, facts } = prepare(module({ memory }), { memoryQuotaBytes: quota });
      expect([...bytes.slice(PREAMBLE.length)]).toEqual([
        ...section(5, [1, 1, memory[1] ?? 0, pages]),
        ...INTERRUPT,
      ]);
      expect(facts.memory?.preparedMaximumPages).toBe(pages);
    });

  test("omits an empty memory section, which the engine rejects", () => {
    expect([...prepare(Uint8Array.from([...PREAMBLE, ...section(5, [0])])).bytes]).toEqual([
      ...PREAMBLE,
      ...INTERRUPT,
    ]);
  });

  test("leaves loops unchanged, which the engine checks itself", () => {
    const loops = [0x03, 0x40, 0x03, 0x40, 0x0b, 0x0b];
    expect(prepared(...loops)).toEqual(expected(...loops));
  });

  test("omits unreachable code, including its loops", () => {
    const dead = [0x6a, 0x1a, 0x03, 0x40, 0x0b, 0x02, 0x40, 0x00, 0x0b];
    const branches = [[0x0c, 0], [0x0f], [0x00], [0x41, 0, 0x0e, 1, 0, 0]];
    for (const branch of branches)
      expect(prepared(0x02, 0x40, ...branch, ...dead, 0x0b)).toEqual(expected(0x02, 0x40, ...branch, 0x0b));
  });

  test("continues at the else of an if that ends early", () => {
    const before = [0x41, 1, 0x04, 0x40, 0x00];
    expect(prepared(...before, 0x01, 0x05, 0x01, 0x0b)).toEqual(expected(...before, 0x05, 0x01, 0x0b));
  });

  test("branches back to a loop with parameters on a condition that always holds", () => {
    const types = [{ parameters: [I32], results: [] }];
    const code = (...inner: number[]) => [0x41, 5, 0x03, 0, ...inner, 0x0b];
    const { bytes } = prepare(module({ types, functions: [{ code: code(0x0c, 0) }] }));
    const again = module({
      types,
      globals: [[I32, 1, 0x41, 0, 0x0b]],
      functions: [{ code: code(0x41, 1, 0x0d, 0, 0x00) }],
    });
    expect([...bytes]).toEqual([...again]);
  });

  test("omits element segments without functions", () => {
    const segment = (at: number, ...functions: number[]) => [
      0,
      0x41,
      at,
      0x0b,
      functions.length,
      ...functions,
    ];
    const make = (elements: number[][], globals: number[][] = []) =>
      module({ table: 4, globals, functions: [{ code: [] }], elements });
    const { bytes } = prepare(make([segment(0), segment(1, 0), segment(4), segment(2, 0, 0)]));
    expect([...bytes]).toEqual([...make([segment(1, 0), segment(2, 0, 0)], [[I32, 1, 0x41, 0, 0x0b]])]);
  });

  test("keeps well-formed names and omits those that the engine would misread", () => {
    const parts = { functions: [{ code: [] }] };
    const length = prepare(module(parts)).bytes.length;
    const good = [1, 4, 1, 0, 1, 0x66, 2, 3, 0, 0, 0];
    const bad = [
      { what: "a length that is too large", names: [1, 0xff, 0xff, 0xff, 0xff, 0x0f] },
      { what: "a name that is too long", names: [1, 4, 1, 0, 9, 0x66] },
      { what: "a count that is too large", names: [1, 4, 2, 0, 1, 0x66] },
      { what: "a subsection of a kind of two bytes", names: [0x80, 0] },
      { what: "bytes after the names", names: [1, 5, 1, 0, 1, 0x66, 0] },
    ];
    for (const names of [good, [...good, 0, 0], [0, 0]]) {
      const kept = custom("name", names);
      expect(prepare(module({ ...parts, last: kept })).bytes.length).toBe(length + kept.length);
    }
    for (const title of ["name", "name\0x"])
      for (const { what, names } of bad)
        expect(prepare(module({ ...parts, last: custom(title, names) })).bytes.length, what).toBe(length);
    const other = custom("names", bad[0]?.names ?? []);
    expect(prepare(module({ ...parts, last: other })).bytes.length).toBe(length + other.length);
  });

  test("returns pieces of limited size, however large the module", async () => {
    const bytes = module({ functions: [{ code: times(200_000, [0x01]) }] });
    const lengths: number[] = [];
    const keep = (piece: Uint8Array) => lengths.push(piece.length);
    const preparer = new ModulePreparer(await loadSandbox(["validator"]));
    preparer.validate(bytes);
    const facts = preparer.endValidation();
    inPieces(bytes, [100_000], (piece) => preparer.prepare(piece, keep));
    preparer.endPreparation(keep);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(2048);
    expect(lengths.reduce((sum, length) => sum + length)).toBe(facts.preparedByteLength);
  });

  test("ends with an Error if the bytes are now those of a function that does not end", async () => {
    const bytes = module({ functions: [{ code: [0x01] }] });
    const preparer = new ModulePreparer(await loadSandbox(["validator"]));
    preparer.validate(bytes);
    preparer.endValidation();
    const [end, nop] = [0x0b, 0x01];
    expect(bytes.at(-1)).toBe(end);
    bytes[bytes.length - 1] = nop;
    const ignore = () => {};
    expect(() => {
      preparer.prepare(bytes, ignore);
      preparer.endPreparation(ignore);
    }).toThrow(Error);
  });
});

describe("a prepared module", () => {
  const endless = module({
    memory: [0, 1],
    functions: [{ code: [0x03, 0x40, 0x0c, 0, 0x0b] }, { results: [I32], code: [0x41, 1, 0x40, 0] }],
    exports: [
      ["spin", 0, 0],
      ["grow", 0, 1],
    ],
  });

  test("grows to its quota and no further", () => {
    const { bytes } = prepare(endless, { memoryQuotaBytes: 3 * PAGE_BYTES });
    const instance = instantiate(bytes);
    expect([1, 2, 3, 4].map(() => invoke(instance, "grow"))).toEqual([1, 2, -1, -1]);
  });
});
