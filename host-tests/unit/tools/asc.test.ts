import { expect, test } from "vitest";
import { loadAsc } from "../../../tools/asc.js";

test("Arrays are sorted as JavaScript does once AssemblyScript's compiler is loaded", async () => {
  await loadAsc();
  expect([10, 9, "8", 1].sort()).toEqual([1, 10, "8", 9]);
});
