/** The pages docs/tutorial*.md, one for each language, do what they say: their commands run in a fresh clone, in their order, and print what it shows. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMissing, type Peer } from "../../hosts/peers.js";
import { readPng } from "../../hosts/read-png.js";
import { isSanitized } from "../../hosts/simulator.js";
import { Machine, type Terminal } from "./machine.js";
import { missingLine, readSteps, type Step } from "./page.js";

const root = path.join(import.meta.dirname, "../../..");
/** Each with the peer that it needs. */
const PAGES = (
  [
    { page: "tutorial.md" },
    { page: "tutorial-c.md", peer: "clang" },
    { page: "tutorial-cpp.md", peer: "clang" },
    { page: "tutorial-rust.md", peer: "rust" },
    { page: "tutorial-zig.md", peer: "zig" },
    { page: "tutorial-python.md" },
    { page: "tutorial-module.md" },
  ] as readonly { page: string; peer?: Peer }[]
).map(({ page, peer }) => ({
  page,
  isWithout: peer !== undefined && isMissing(peer),
  steps: readSteps(readFileSync(path.join(root, "docs", page), "utf8")),
}));
/** Skipped, since the packages are installed: the test covers the page. */
const INSTALL = "npm ci && ";
const TIMEOUT_MS = 300_000;

const isSkipped = isSanitized || isMissing("netns") || !existsSync(path.join(root, ".git"));

test.each(PAGES)("$page begins with the install of packages", ({ steps }) => {
  expect(steps[0]?.commands.startsWith(INSTALL)).toBe(true);
});

describe.skipIf(isSkipped).each(PAGES)(
  "In a fresh clone, $page (needs netns and a clone)",
  ({ steps, isWithout }) => {
    let machine: Machine;
    const terminals = new Map<string, Terminal>();
    beforeAll(async () => {
      machine = await Machine.create();
    }, TIMEOUT_MS);
    afterAll(() => machine?.close(), TIMEOUT_MS);

    for (const [index, step] of steps.entries())
      if (step.kind !== "elsewhere" && !isWithout)
        test(`${index + 1}. ${step.commands.trim().split("\n").at(-1)}`, {
          timeout: TIMEOUT_MS,
        }, async () => {
          await perform(step);
          await CHECKS[step.commands.trim()]?.();
        });

    async function perform({ kind, commands, prints }: Step): Promise<void> {
      const terminal = machine.start(commands.replace(INSTALL, ""));
      terminals.set(commands.trim(), terminal);
      if (kind === "terminal") return terminal.prints(prints);
      const status = await terminal.ended;
      expect([status, terminal.lines]).toEqual([kind === "refused" ? 1 : 0, expect.anything()]);
      expect(missingLine(prints, terminal.lines), terminal.lines.join("\n")).toBeUndefined();
    }

    async function becomesRed(): Promise<void> {
      const runs = "hello 0.1.0 runs, …";
      await terminals.get("npx svc app dev ../hello")?.prints([runs, runs]);
      const picture = machine.start("npx svc screen --device http://127.0.0.1:8080 --out ../red.png");
      expect(await picture.ended, picture.lines.join("\n")).toBe(0);
      expect(centreOf("../red.png")).toEqual([255, 0, 0]);
    }

    /** Waits until the log of the running app has the lines. */
    async function logs(...lines: readonly string[]): Promise<void> {
      await terminals.get("npx svc app dev ../hello")?.prints(lines);
    }

    /** Checks after a step, beyond its output. */
    const CHECKS: Readonly<Record<string, () => Promise<void>>> = {
      "npx svc screen --device http://127.0.0.1:8080 --out ../hello.png": async () =>
        expect(centreOf("../hello.png")).toEqual([255, 166, 0]),
      "sed -i 's/0xfd20/0xf800/' ../hello/main.ts": becomesRed,
      "sed -i 's/0xfd20/0xf800/' ../hello/main.c": becomesRed,
      "sed -i 's/0xfd20/0xf800/' ../hello/main.cpp": becomesRed,
      "sed -i 's/0xfd20/0xf800/' ../hello/main.rs": becomesRed,
      "sed -i 's/0xfd20/0xf800/' ../hello/main.zig": becomesRed,
      "sed -i 's/0xFD20/0xF800/' ../hello/main.py": becomesRed,
      "cp ../right.c ../hello/main.c && sed -i 's/return play(&square);/__builtin_trap();/' ../hello/main.c":
        () => logs('… "hello" ended: trap: unreachable executed in run (main.c:109)'),
      "cp ../right.cpp ../hello/main.cpp && sed -i 's/return play(square);/__builtin_trap();/' ../hello/main.cpp":
        () => logs('… "hello" ended: trap: unreachable executed in run() (main.cpp:118)'),
      "cp ../right.rs ../hello/main.rs && sed -i 's/^    play(square)$/    COLOURS[square.colour + 9]/' ../hello/main.rs":
        () =>
          logs(
            "… main.rs:99: index out of bounds: the len is 4 but the index is 9",
            '… "hello" ended: trap: unreachable executed in … < app::run (main.rs:99) < …',
          ),
      "cp ../right.zig ../hello/main.zig && sed -i 's/^    square.draw();$/    square.colour = 9; square.draw();/' ../hello/main.zig":
        () =>
          logs(
            "… index out of bounds…",
            '… "hello" ended: trap: unreachable executed in … < main.main (main.zig:55) < …',
          ),
      "npx svc screen --device http://127.0.0.1:8080 --out ../ready.png": async () =>
        expect(centreOf("../ready.png")).toEqual([255, 0, 0]),
      "cp ../right.py ../hello/main.py && sed -i 's/^play(Square/print(heigth)\\nplay(Square/' ../hello/main.py":
        () => logs('… File "main.py", line 78, in <module>', "… NameError: name 'heigth' isn't defined"),
    };

    /** The colour in the middle of a picture, where the square is. */
    function centreOf(name: string): readonly number[] {
      const { width, height, rgb } = readPng(readFileSync(machine.fileOf(name)));
      const at = 3 * ((height / 2) * width + width / 2);
      return [...rgb.subarray(at, at + 3)];
    }
  },
);
