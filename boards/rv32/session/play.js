/** Plays the board the session in QEMU, and gathers what that took. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runInQemu } from "../builder/toolchain.js";
import { mergeFigures, readFigures } from "./figures.js";
import { writeScript } from "./script.js";
import { checkTranscript, readTranscript } from "./transcript.js";

/** @typedef {import("./figures.js").StepFigures} StepFigures */
/** @typedef {import("./figures.js").BoardFigures} BoardFigures */
/** @typedef {import("./figures.js").Flash} Flash */
/** @typedef {import("./script.js").Step} Step */
/** What was said in each step, and what it took. @typedef {{ answers: Answers, figures: StepFigures[] }} Played */
/** @typedef {import("./transcript.js").Answers} Answers */
/** What was built. @typedef {{ elf: string, watchedElf: string, flash: Flash }} Board */

/**
 * @param {string} elf
 * @param {readonly Step[]} steps
 * @returns {Promise<Played>}
 * @throws {Error} where the board stops, or says anything but what it has to
 */
export async function playSession(elf, steps) {
  const directory = mkdtempSync(path.join(tmpdir(), "board-"));
  try {
    writeFileSync(path.join(directory, "script"), writeScript(steps));
    const { status, said } = await runInQemu(elf, directory);
    if (status !== 0) throw new Error(`The board ended with ${status}, and said:\n${said}`);
    const answers = checkTranscript(steps, readTranscript(readFileSync(path.join(directory, "transcript"))));
    return { answers, figures: readFigures(readFileSync(path.join(directory, "figures"), "utf8")) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @param {Board} board @param {readonly Step[]} steps @returns {Promise<BoardFigures>} */
export async function measureBoard({ elf, watchedElf, flash }, steps) {
  const [plain, watched] = await Promise.all([playSession(elf, steps), playSession(watchedElf, steps)]);
  return { flash, steps: mergeFigures(steps, plain.figures, watched.figures) };
}
