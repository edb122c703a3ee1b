/**
 * Builds the image of a board's firmware. If ESP-IDF's build fails, make continues and flashes the existing image: so
 * the files of an earlier build are deleted first, and an image that exists afterwards is from this build.
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { BOARDS, type Board } from "./boards.js";

/** The name of all ESP-IDF projects of the SDK. */
const NAME = "xs_esp32";

const targetOf = (board: Board, project: string) =>
  `${BOARDS[board].platform}/release/${path.basename(project)}`;

/** @returns directory in which ESP-IDF builds the project */
export function buildDirectoryOf(board: Board, project: string): string {
  return path.join(project, "tmp", targetOf(board, project), `xsProj-${BOARDS[board].chip}/build`);
}

/**
 * @param board that it is for
 * @param project directory that mcconfig builds in
 * @param build runs mcconfig and returns its output
 * @returns the image
 * @throws {Error} with that output if there is no image
 */
export async function buildBoardImage(
  board: Board,
  project: string,
  build: () => Promise<string>,
): Promise<string> {
  const original = path.join(buildDirectoryOf(board, project), NAME);
  const image = path.join(project, "bin", targetOf(board, project), `${NAME}.bin`);
  // The program, too: the image is made only of a new program, whether or not an image exists.
  for (const file of [image, `${original}.bin`, `${original}.elf`]) await rm(file, { force: true });
  const said = await build();
  if (!existsSync(image)) throw new Error(`ESP-IDF cannot build it:\n${said}`);
  return image;
}
