/** From the sources to the costs of a board. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FirmwareOptions } from "../../../engine/program/firmware-modules.js";
import { buildBoard } from "../build.js";
import type { BoardFigures } from "./figures.js";
import { makeSessionFiles } from "./files.js";
import { type Board, measureBoard } from "./play.js";
import { TRUSTED_KEYS } from "./publisher.js";
import type { Step } from "./script.js";
import { sessionSteps } from "./session.js";

/** The built board and the steps to play. */
export type Built = { board: Board; steps: Step[] };

/** Build options of the board. */
export async function firmwareOptions(): Promise<FirmwareOptions> {
  const file = path.join(import.meta.dirname, "../../../package.json");
  const { version } = JSON.parse(await readFile(file, "utf8"));
  return { version, trustedKeys: TRUSTED_KEYS };
}

/** @throws {Error} with the compiler's output */
export async function buildSession(): Promise<Built> {
  const board = await buildBoard(await firmwareOptions());
  return { board, steps: sessionSteps(await makeSessionFiles()) };
}

export async function buildAndMeasure(): Promise<BoardFigures> {
  const { board, steps } = await buildSession();
  return measureBoard(board, steps);
}
