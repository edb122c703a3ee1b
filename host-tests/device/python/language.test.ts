/** Scripts on a console: Python as such, and what goes wrong (docs/spec/app-packages.md#script). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { pythonPackage, RUNTIME_TIMEOUT_MS } from "../../hosts/python-app.js";
import { run, started, text } from "./script-runs.js";

let console: AppConsole;
beforeAll(async () => {
  console = await startAppConsole();
  await pythonPackage({ script: "" });
}, RUNTIME_TIMEOUT_MS);
afterAll(async () => expect(await console.stop()).toBe(0));

const LANGUAGE = [
  {
    name: "prints numbers, texts, lists and dictionaries",
    script: text("print(1 + 2, 'two', [3, 4.5], {'five': (6,)}, 2 ** 70)"),
    prints: ["3 two [3, 4.5] {'five': (6,)} 1180591620717411303424"],
  },
  {
    name: "has functions, closures, default values and generators",
    script: text(
      "def counter(start=1):",
      "    n = start",
      "    def next_value():",
      "        nonlocal n",
      "        n += 1",
      "        return n",
      "    return next_value",
      "c = counter(); c()",
      "print(c(), sum(x * x for x in range(10)), sorted('hello', key=lambda l: -ord(l)))",
    ),
    prints: ["3 285 ['o', 'l', 'l', 'h', 'e']"],
  },
  {
    name: "has classes with inheritance and operators",
    script: text(
      "class Point:",
      "    def __init__(self, x): self.x = x",
      "    def __add__(self, other): return type(self)(self.x + other.x)",
      "class Named(Point):",
      "    def __repr__(self): return 'Named(%d)' % self.x",
      "print(Named(1) + Named(2), isinstance(Named(0), Point))",
    ),
    prints: ["Named(3) True"],
  },
  {
    name: "raises and catches exceptions, through functions and finally",
    script: text(
      "def fail(): raise KeyError('gone')",
      "def through():",
      "    try: fail()",
      "    finally: print('finally')",
      "for n in range(2):",
      "    try: through()",
      "    except (KeyError, ValueError) as error: print(n, repr(error))",
    ),
    prints: ["finally", "0 KeyError('gone',)", "finally", "1 KeyError('gone',)"],
  },
  {
    name: "has the modules of MicroPython",
    script: text(
      "import json, math, re, struct, sys, collections",
      "print(json.loads('[1, {\"a\": null}]'), math.floor(math.pi * 100), re.match('a+', 'aab').group(0))",
      "print(struct.pack('<H', 258), sys.implementation.name, collections.deque([1, 2], 2).popleft())",
    ),
    prints: ["[1, {'a': None}] 314 aa", "b'\\x02\\x01' micropython 1"],
  },
  {
    name: "breaks lines where the log does, and keeps what has no line's end",
    script: text("print('é' * 3)", "print(' ' * 112 + 'rest')", "print('last', end='')"),
    prints: ["ééé", " ".repeat(112), "rest", "last"],
  },
];

describe("A script", { timeout: 120_000 }, () => {
  for (const { name, script, prints } of LANGUAGE)
    test(name, async () => {
      const { lines, exit } = await run(console, script);
      expect(lines).toEqual(prints.map((line) => `I ${line}`));
      expect(exit).toMatchObject({ reason: "exit", code: 0 });
    });

  test("collects garbage: an endless supply of objects does not use up its memory", async () => {
    const { lines, exit } = await run(
      console,
      text(
        "class Node:",
        "    def __init__(self, left, right): self.left, self.right = left, right",
        "def tree(depth): return None if depth == 0 else Node(tree(depth - 1), [tree(depth - 1), str(depth)])",
        "def is_whole(node, depth):",
        "    if depth == 0: return node is None",
        "    return (node.right[1] == str(depth) and is_whole(node.left, depth - 1)",
        "        and is_whole(node.right[0], depth - 1))",
        "kept = tree(6)",
        "for n in range(40):",
        "    words = sorted([str(n * k % 97) for k in range(50)], key=lambda word: word + '.' * 3)",
        "    if not is_whole(tree(4), 4) or len(words) != 50: print('damaged')",
        "print(is_whole(kept, 6))",
      ),
    );
    expect(lines).toEqual(["I True"]);
    expect(exit).toMatchObject({ reason: "exit", code: 0 });
  });
});

describe("An error in a script", { timeout: 120_000 }, () => {
  test("is in the log with file and line, and the app exits with 1", async () => {
    const { lines, exit } = await run(
      console,
      text("def divide(n):", "    return 1 / n", "print('before')", "divide(0)", "print('after')"),
    );
    expect(lines).toEqual([
      "I before",
      "E Traceback (most recent call last):",
      'E   File "main.py", line 4, in <module>',
      'E   File "main.py", line 2, in divide',
      "E ZeroDivisionError: divide by zero",
    ]);
    expect(exit).toMatchObject({ reason: "exit", code: 1 });
  });

  test("of the syntax names the line", async () => {
    const { lines } = await run(console, text("print('before')", "if True print(1)"));
    expect(lines).toEqual([
      "E Traceback (most recent call last):",
      'E   File "main.py", line 2',
      "E SyntaxError: invalid syntax",
    ]);
  });

  test("of a recursion without end is a RuntimeError, again and again, and the script goes on", async () => {
    const { lines, exit } = await run(
      console,
      text(
        "import json",
        "def deep(n): return deep(n + 1)",
        "class Deep:",
        "    def __repr__(self): return repr(self)",
        "nested = []",
        "for n in range(500): nested = [nested]",
        "calls = [lambda: deep(0), lambda: repr(Deep()), lambda: str(nested), lambda: json.dumps(nested),",
        "    lambda: sorted([1, 2], key=lambda n: deep(n))]",
        "for call in calls * 3:",
        "    try: call()",
        "    except RuntimeError as error: print(error)",
        "print('goes on')",
      ),
    );
    expect(exit).toMatchObject({ reason: "exit", code: 0 });
    expect(lines).toEqual([...Array(15).fill("I maximum recursion depth exceeded"), "I goes on"]);
  });

  test("of recursion that nothing catches is in the log", async () => {
    const { lines, exit } = await run(console, text("def deep(n): return deep(n + 1)", "deep(0)"));
    expect(lines.at(-1)).toBe("E RuntimeError: maximum recursion depth exceeded");
    expect(exit).toMatchObject({ reason: "exit", code: 1 });
  });

  test.each([327_680, 1_048_576])(
    "of memory that is used up is a MemoryError, with %i bytes",
    async (bytes) => {
      const { lines, exit } = await run(console, {
        script: text(
          "kept = []",
          "try:",
          "    while True: kept.append(bytearray(1000))",
          "except MemoryError as error: print(type(error).__name__)",
          "kept = None",
          "text = 'x'",
          "while True: text += text",
        ),
        memoryQuotaBytes: bytes,
      });
      expect(lines.slice(0, 3)).toEqual([
        "I MemoryError",
        "E Traceback (most recent call last):",
        'E   File "main.py", line 7, in <module>',
      ]);
      expect(lines.at(-1)).toMatch(/^E MemoryError: /);
      expect(exit).toMatchObject({ reason: "exit", code: 1 });
    },
  );

  const lengthened = (script: string, bytes: number) => `${script}# ${"x".repeat(bytes)}\n`;

  test("of a script that is longer than its memory is a MemoryError", async () => {
    const { lines, exit } = await run(console, lengthened("print('begun')\n", 300 * 1024));
    expect(lines).toEqual([
      "E Traceback (most recent call last):",
      expect.stringMatching(/^E MemoryError: memory allocation failed, allocating \d+ bytes$/),
    ]);
    expect(exit).toMatchObject({ reason: "exit", code: 1 });
  });

  test("does not come of a script's length while there is memory for it", async () => {
    const { lines, exit } = await run(console, lengthened("print('begun')\n", 64 * 1024));
    expect([lines, exit.code]).toEqual([["I begun"], 0]);
  });

  test("of many small things that use up the memory is a MemoryError too", async () => {
    const { lines, exit } = await run(console, text("kept = None", "while True: kept = (kept, 1.5)"));
    expect(lines.join()).toContain("MemoryError");
    expect(exit).toMatchObject({ reason: "exit", code: 1 });
  });

  test("that ends it by sys.exit gives the exit code", async () => {
    expect((await run(console, "import sys; sys.exit(7)")).exit).toMatchObject({ reason: "exit", code: 7 });
    expect((await run(console, "raise SystemExit")).exit).toMatchObject({ reason: "exit", code: 0 });
    expect((await run(console, "import svc; svc.exit(9)")).exit).toMatchObject({ reason: "exit", code: 9 });
  });
});

describe("A script that does not end", { timeout: 120_000 }, () => {
  const ENDLESS = [
    { name: "an empty loop", script: "while True: pass" },
    { name: "a loop that catches everything", script: "while True:\n    try: 1 / 0\n    except: pass" },
    { name: "a long sleep", script: "import time; time.sleep(100000)" },
    { name: "a computation within one operation", script: "base = 10; print(base ** 10000000)" },
    { name: "a loop that makes garbage", script: "while True: [str(n) for n in range(1000)]" },
  ];
  for (const { name, script } of ENDLESS)
    test(`is stopped within 1 s: ${name}`, async () => {
      const from = await started(console, {
        script: text("print('runs')", script),
        memoryQuotaBytes: 4_194_304,
      });
      await console.waitForLine(/app\/script: runs$/, from);
      expect(await console.app("stop", "script")).toMatchObject({ status: 200 });
      const entry = await console.until(({ state }) => state === "stopped", "script");
      expect(entry.last_exit).toMatchObject({ reason: "stopped" });
    });
});
