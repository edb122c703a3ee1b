/** Scripts that mean ill: each ends by an error or a trap, and neither the console nor the next script notices. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { pythonPackage, RUNTIME_TIMEOUT_MS } from "../../hosts/python-app.js";
import { run, text } from "./script-runs.js";

let console: AppConsole;
beforeAll(async () => {
  console = await startAppConsole();
  await pythonPackage({ script: "" });
}, RUNTIME_TIMEOUT_MS);
afterAll(async () => expect(await console.stop()).toBe(0));

const HOSTILE = [
  {
    name: "overwrites all of its memory, and with it the runtime",
    script: text(
      "import uctypes",
      "memory = uctypes.bytearray_at(0, 327680)",
      "for n in range(len(memory)): memory[n] = n & 255",
    ),
  },
  {
    name: "writes behind its memory",
    script: text("import uctypes", "uctypes.bytearray_at(327670, 100000)[50000] = 1"),
  },
  {
    name: "calls what is no function",
    script: text(
      "import uctypes, struct",
      "def f(): pass",
      "uctypes.bytearray_at(id(f), 16)[0:4] = struct.pack('<I', 0xFFFFFFF0)",
      "f()",
    ),
  },
  {
    name: "gives the console addresses that it does not have",
    script: "import js; print(js.random(-8, 100))",
  },
  { name: "gives the console a negative length", script: "import js; print(js.random(0, -1))" },
  { name: "nests brackets in data", script: "import json; json.loads('[' * 20000)" },
  { name: "nests operators in an expression", script: "eval('-' * 20000 + '1')" },
  { name: "nests brackets in an expression", script: "eval('(' * 5000 + ')' * 5000)" },
  { name: "nests blocks", script: "exec('\\n'.join(' ' * n + 'if 1:' for n in range(300)) + ' pass')" },
  { name: "has a pattern that recurses", script: "import re; re.match('(a*)*b', 'a' * 5000)" },
  { name: "compares lists that contain each other", script: "a = []; b = [a]; a.append(b); print(a == b)" },
  { name: "raises in what handles errors", script: "try: 1 / 0\nexcept: [][1]\nfinally: {}[2]" },
  {
    name: "has an exception whose text raises",
    script: text("class E(Exception):", "    def __str__(self): raise self", "raise E()"),
  },
  {
    name: "recurses in what is called at its end",
    script: text("class E(Exception):", "    def __repr__(self): return repr(self)", "raise E(E())"),
  },
  { name: "is no text", script: "\u0000\u0001\uffff" },
  {
    name: "logs without end, and dies of it",
    script: "text = 'x' * 1000\nfor n in range(300): print(text)\n1 / 0",
  },
];

describe("The console survives a script that", { timeout: 120_000 }, () => {
  for (const { name, script } of HOSTILE)
    test(name, async () => {
      const { exit } = await run(console, script);
      expect(["exit", "trap"], JSON.stringify(exit)).toContain(exit.reason);
      const { lines, exit: next } = await run(console, "print('next')");
      expect([lines, next.code]).toEqual([["I next"], 0]);
    });
});
