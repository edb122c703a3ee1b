/** The names of built-ins that the engine's C mentions (boards/rv32/builder/mentioned-names.ts). */
import { expect, test } from "vitest";
import { engineMentions } from "../../../../boards/rv32/builder/mentioned-names.js";

const MACROS = new Map([
  ["mxPush", "fxPush(the, SLOT)"],
  ["mxMapConstructor", "the->stackPrototypes[-1 - _Map]"],
  ["mxMapFunction", "mxMapConstructor"],
]);

test("a name counts if a function that can run on the board mentions it", () => {
  const text = "void fx_Array_from(txMachine* the)\n{\n\tmxGetID(mxID(_next));\n}\n";
  expect(engineMentions(text, MACROS)).toContain("_next");
});

test("functions that only make the built-ins do not count", () => {
  const text = [
    "void fxBuildArray(txMachine* the)\n{\n\tif (1) {\n\t\tmxID(_flat);\n\t}\n}",
    "txMachine* fxCreateMachine(txCreation* theCreation, txString theName)\n{\n\tmxID(_Array);\n}",
    "void fx_Array(txMachine* the)\n{\n\tmxID(_length);\n}\n",
  ].join("\n");
  const mentioned = engineMentions(text, MACROS);
  expect(mentioned).toContain("_length");
  expect(mentioned).not.toContain("_flat");
  expect(mentioned).not.toContain("_Array");
});

test("a macro counts as what it stands for, and so do the macros in it", () => {
  expect(engineMentions("mxPush(mxMapFunction);", MACROS)).toContain("_Map");
});
