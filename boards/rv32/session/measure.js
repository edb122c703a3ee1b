/** From the sources to what a board pays. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { buildBoard } from "../build.js";
import { makeSessionFiles } from "./files.js";
import { measureBoard } from "./play.js";
import { TRUSTED_KEYS } from "./publisher.js";
import { sessionSteps } from "./session.js";

/** @typedef {import("./figures.js").BoardFigures} BoardFigures */
/** @typedef {import("./play.js").Board} Board */
/** @typedef {import("./script.js").Step} Step */
/** What is played, and on what. @typedef {{ board: Board, steps: Step[] }} Built */
/** @typedef {import("../../../tools/firmware.js").FirmwareOptions} FirmwareOptions */

/** What the board is built as. @returns {Promise<FirmwareOptions>} */
export async function firmwareOptions() {
  const file = path.join(import.meta.dirname, "../../../package.json");
  const { version } = JSON.parse(await readFile(file, "utf8"));
  return { version, trustedKeys: TRUSTED_KEYS };
}

/** @returns {Promise<Built>} @throws {Error} with what the compiler says */
export async function buildSession() {
  const board = await buildBoard(await firmwareOptions());
  return { board, steps: sessionSteps(await makeSessionFiles()) };
}

/** @returns {Promise<BoardFigures>} */
export async function buildAndMeasure() {
  const { board, steps } = await buildSession();
  return measureBoard(board, steps);
}
