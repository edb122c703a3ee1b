/** From the sources to what a board pays. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { buildBoard } from "../build.js";
import { makeSessionFiles } from "./files.js";
import { measureBoard } from "./play.js";
import { TRUSTED_KEYS } from "./publisher.js";
import { sessionSteps } from "./session.js";

/** @typedef {import("./figures.js").BoardFigures} BoardFigures */
/** What is played, and on what. @typedef {{ board: import("./play.js").Board, steps: import("./script.js").Step[] }} Built */

/** @returns {Promise<Built>} @throws {Error} with what the compiler says */
export async function buildSession() {
  const { version } = JSON.parse(
    await readFile(path.join(import.meta.dirname, "../../package.json"), "utf8"),
  );
  const board = await buildBoard({ version, trustedKeys: TRUSTED_KEYS });
  return { board, steps: sessionSteps(await makeSessionFiles()) };
}

/** @returns {Promise<BoardFigures>} */
export async function buildAndMeasure() {
  const { board, steps } = await buildSession();
  return measureBoard(board, steps);
}
