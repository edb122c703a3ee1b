/**
 * Flash, memory and instructions stay within the budgets of a board, and those of every step of the session within 3 % of
 * host-tests/bench/rv32.json. A larger change must be understood and accepted with its reason.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { BUDGETS } from "../../boards/rv32/session/budgets.js";
import { ACCEPTING, differences } from "../../boards/rv32/session/compare.js";
import type { BoardFigures } from "../../boards/rv32/session/figures.js";
import { type Built, buildSession } from "../../boards/rv32/session/measure.js";
import { measureBoard, playSession } from "../../boards/rv32/session/play.js";
import { isMissing } from "../hosts/peers.js";

const RECORD = path.join(import.meta.dirname, "../bench/rv32.json");

describe.skipIf(isMissing("rv32"))("the console on RV32", () => {
  let built: Built;
  let measured: BoardFigures;

  beforeAll(async () => {
    built = await buildSession();
    measured = await measureBoard(built.board, built.steps);
  });

  test.each(BUDGETS)("is within the budget of $what", ({ limit, measure }) =>
    expect(measure(measured)).toBeLessThanOrEqual(limit),
  );

  test("stays within 3 % of the recorded figures", () => {
    const recorded: BoardFigures = JSON.parse(readFileSync(RECORD, "utf8"));
    expect(differences(recorded, measured), ACCEPTING).toEqual([]);
  });

  test("executes the same number of instructions in each run, from any directory", async () => {
    const elsewhere = mkdtempSync(path.join(tmpdir(), "a-board-in-a-place-with-a-longer-name-"));
    const elf = path.join(elsewhere, "console.elf");
    copyFileSync(built.board.elf, elf);
    const { figures } = await playSession(elf, built.steps);
    rmSync(elsewhere, { recursive: true });
    expect(figures.map(({ step, instructions }) => ({ step, instructions }))).toEqual(
      measured.steps.map(({ step, instructions }) => ({ step, instructions })),
    );
  });
});
