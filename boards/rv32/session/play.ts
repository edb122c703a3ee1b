/** Plays the session to the board in QEMU, and collects its costs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runInQemu } from "../builder/toolchain.js";
import { type BoardFigures, type Flash, mergeFigures, readFigures, type StepFigures } from "./figures.js";
import { type Step, writeScript } from "./script.js";
import { type Answers, checkTranscript, readTranscript } from "./transcript.js";

/** The responses and the costs of all steps. */
type Played = { answers: Answers; figures: StepFigures[] };
/** The result of the build. */
export type Board = { elf: string; watchedElf: string; flash: Flash };

/** @throws {Error} if the board stops, or a response is not the expected one */
export async function playSession(elf: string, steps: readonly Step[]): Promise<Played> {
  const directory = mkdtempSync(path.join(tmpdir(), "board-"));
  try {
    writeFileSync(path.join(directory, "script"), writeScript(steps));
    const { status, said } = await runInQemu(elf, directory);
    if (status !== 0) throw new Error(`The board ended with ${status}:\n${said}`);
    const answers = checkTranscript(steps, readTranscript(readFileSync(path.join(directory, "transcript"))));
    return { answers, figures: readFigures(readFileSync(path.join(directory, "figures"), "utf8")) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export async function measureBoard(
  { elf, watchedElf, flash }: Board,
  steps: readonly Step[],
): Promise<BoardFigures> {
  const [plain, watched] = await Promise.all([playSession(elf, steps), playSession(watchedElf, steps)]);
  return { flash, steps: mergeFigures(steps, plain.figures, watched.figures) };
}
