/** docs/tutorial.md does what it says: its commands run in a fresh clone, in their order, and print what it shows. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMissing } from "../../hosts/peers.js";
import { readPng } from "../../hosts/read-png.js";
import { isSanitized } from "../../hosts/simulator.js";
import { Machine, type Terminal } from "./machine.js";
import { missingLine, readSteps, type Step } from "./page.js";

const root = path.join(import.meta.dirname, "../../..");
const steps = readSteps(readFileSync(path.join(root, "docs/tutorial.md"), "utf8"));
/** Skipped, since the packages are installed: the test covers the page. */
const INSTALL = "npm ci && ";
const TIMEOUT_MS = 300_000;

const isSkipped = isSanitized || isMissing("netns") || !existsSync(path.join(root, ".git"));

test("the tutorial begins with the install of packages", () => {
  expect(steps[0]?.commands.startsWith(INSTALL)).toBe(true);
});

describe.skipIf(isSkipped)("In a fresh clone, the tutorial (needs netns and a clone)", () => {
  let machine: Machine;
  const terminals = new Map<string, Terminal>();
  beforeAll(async () => {
    machine = await Machine.create();
  }, TIMEOUT_MS);
  afterAll(() => machine?.close(), TIMEOUT_MS);

  for (const [index, step] of steps.entries())
    if (step.kind !== "elsewhere")
      test(`${index + 1}. ${step.commands.trim().split("\n").at(-1)}`, { timeout: TIMEOUT_MS }, async () => {
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

  /** Checks after a step, beyond its output. */
  const CHECKS: Readonly<Record<string, () => Promise<void>>> = {
    "npx svc screen --device http://127.0.0.1:8080 --out ../hello.png": async () =>
      expect(centreOf("../hello.png")).toEqual([255, 166, 0]),
    "sed -i 's/0xfd20/0xf800/' ../hello/main.ts": async () => {
      const runs = "hello 0.1.0 runs, …";
      await terminals.get("npx svc app dev ../hello")?.prints([runs, runs]);
      const picture = machine.start("npx svc screen --device http://127.0.0.1:8080 --out ../red.png");
      expect(await picture.ended, picture.lines.join("\n")).toBe(0);
      expect(centreOf("../red.png")).toEqual([255, 0, 0]);
    },
  };

  /** The colour in the middle of a picture, where the square is. */
  function centreOf(name: string): readonly number[] {
    const { width, height, rgb } = readPng(readFileSync(machine.fileOf(name)));
    const at = 3 * ((height / 2) * width + width / 2);
    return [...rgb.subarray(at, at + 3)];
  }
});
