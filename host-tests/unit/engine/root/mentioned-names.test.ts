/** The names of built-ins that the board's C mentions (engine/root/mentioned-names.ts). */
import { describe, expect, test } from "vitest";
import type { ElfFile, ElfSymbol } from "../../../../engine/root/elf.js";
import { EngineNames, mentionsOf } from "../../../../engine/root/mentioned-names.js";
import { objectGraph } from "../../../../engine/root/object-graph.js";

const MACROS = new Map([
  ["mxPush", "fxPush(the, SLOT)"],
  ["mxMapConstructor", "the->stackPrototypes[-1 - _Map]"],
  ["mxMapFunction", "mxMapConstructor"],
]);

test("a macro counts as what it stands for, and so do the macros in it", () => {
  expect([...mentionsOf("mxPush(mxMapFunction, mxID(_next));", MACROS)]).toEqual(["_Map", "_next"]);
});

/** An object: its functions, and what each of them calls. */
function objectOf(calls: Readonly<Record<string, readonly string[]>>): ElfFile {
  const symbolOf = (name: string): ElfSymbol => ({
    name,
    address: 0,
    byteLength: 16,
    isGlobal: true,
    section: name in calls ? `.text.${name}` : undefined,
  });
  return {
    symbols: [...Object.keys(calls), ...Object.values(calls).flat()].map(symbolOf),
    references: Object.entries(calls).flatMap(([name, called]) =>
      called.map((target) => ({ section: `.text.${name}`, symbol: symbolOf(target) })),
    ),
  };
}

const ARRAY = `
void fxBuildArray(txMachine* the)
{
	slot = fxNextHostFunctionProperty(the, slot, mxCallback(fx_Array_prototype_at), 1, mxID(_at), XS_DONT_ENUM_FLAG);
	slot = fxNextHostFunctionProperty(the, slot, mxCallback(fx_Array_prototype_flat), 0, mxID(_flat), XS_DONT_ENUM_FLAG);
	slot = fxNextHostFunctionProperty(the, slot, mxCallback(fx_Array_prototype_map), 1, mxID(_map), XS_DONT_ENUM_FLAG);
}

void fx_Array_prototype_at(txMachine* the)
{
	mxID(_length);
}

void fx_Array_prototype_flat(txMachine* the)
{
	mxID(_flat);
	mxID(_species);
}

void fx_Array_prototype_map(txMachine* the)
{
	mxID(_at);
}
`;

const RUN = `
static void fxHelp(txMachine* the)
{
	mxID(_constructor);
}

void fxRun(txMachine* the)
{
	mxID(_then);
	fxHelp(the);
}

void fxUnused(txMachine* the)
{
	mxID(_unused);
}
`;

describe("What the board's C mentions", () => {
  const sources = [
    { file: "xsArray.c", text: ARRAY },
    { file: "xsRun.c", text: RUN },
  ];
  const builtIns = ["fx_Array_prototype_at", "fx_Array_prototype_flat", "fx_Array_prototype_map"];
  const graph = objectGraph([
    ["host/main.o", objectOf({ main: ["fxRun"] })],
    ["engine/xsRun.o", objectOf({ fxRun: ["fxHelp", "fxBuildArray"], fxHelp: [], fxUnused: [] })],
    [
      "engine/xsArray.o",
      objectOf({
        fxBuildArray: builtIns,
        ...Object.fromEntries(builtIns.map((name) => [name, []])),
      }),
    ],
  ]);
  const reached = (known: readonly string[]) =>
    [...new EngineNames(sources, MACROS).reached(graph, ["host/main.o"], known)].sort();

  test("is what functions mention that the hosts reach", () => {
    expect(reached([])).toEqual(["_constructor", "_then"]);
  });

  test("is also what a built-in mentions that something calls by name, and what those do that it mentions", () => {
    expect(reached(["_at"])).toEqual(["_constructor", "_length", "_then"]);
    expect(reached(["_map"])).toEqual(["_at", "_constructor", "_length", "_then"]);
  });

  test("is not what a built-in mentions that only itself and what makes the built-ins mention", () => {
    expect(reached(["_other"])).not.toContain("_species");
    expect(reached(["_flat"])).toContain("_species");
  });

  test("is all that a file mentions for a function that is not found in it", () => {
    const unknown = [{ file: "xsRun.c", text: RUN.replace("void fxRun(", "void RUN(") }];
    const names = new EngineNames(unknown, MACROS).reached(graph, ["host/main.o"], []);
    expect([...names].sort()).toEqual(["_constructor", "_then", "_unused"]);
  });

  test("is what stands outside of functions", () => {
    const table = [{ file: "xsRun.c", text: `${RUN}\nconst txID table[] = { mxID(_table) };\n` }];
    expect([...new EngineNames(table, MACROS).reached(graph, ["host/main.o"], [])]).toContain("_table");
  });
});
