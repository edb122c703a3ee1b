/** From the sources to what a board pays. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FirmwareOptions } from "../../../tools/firmware-modules.js";
import { buildBoard } from "../build.js";
import type { BoardFigures } from "./figures.js";
import { makeSessionFiles } from "./files.js";
import { type Board, measureBoard } from "./play.js";
import { TRUSTED_KEYS } from "./publisher.js";
import type { Step } from "./script.js";
import { sessionSteps } from "./session.js";

/** What is played, and on what. */
export type Built = { board: Board; steps: Step[] };

/** What the board is built as. */
export async function firmwareOptions(): Promise<FirmwareOptions> {
  const file = path.join(import.meta.dirname, "../../../package.json");
  const { version } = JSON.parse(await readFile(file, "utf8"));
  return { version, trustedKeys: TRUSTED_KEYS };
}

/** @throws {Error} with what the compiler says */
export async function buildSession(): Promise<Built> {
  const board = await buildBoard(await firmwareOptions());
  return { board, steps: sessionSteps(await makeSessionFiles()) };
}

export async function buildAndMeasure(): Promise<BoardFigures> {
  const { board, steps } = await buildSession();
  return measureBoard(board, steps);
}
