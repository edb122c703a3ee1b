/**
 * Builds the image of an ESP32-S3's firmware. If ESP-IDF's build fails, make continues and flashes the existing image: so
 * the files of an earlier build are deleted first, and an image that exists afterwards is from this build.
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";

/** The name of all ESP-IDF projects of the SDK. */
const NAME = "xs_esp32";

const targetOf = (project: string) => `esp32/esp32s3/release/${path.basename(project)}`;

/** @returns the project of ESP-IDF in it */
export function idfProjectOf(project: string): string {
  return path.join(project, "tmp", targetOf(project), "xsProj-esp32s3");
}

/** @returns directory in which ESP-IDF builds the project */
export function buildDirectoryOf(project: string): string {
  return path.join(idfProjectOf(project), "build");
}

/**
 * @param project directory that mcconfig builds in
 * @param build runs mcconfig and returns its output
 * @returns the image
 * @throws {Error} with that output if there is no image
 */
export async function buildBoardImage(project: string, build: () => Promise<string>): Promise<string> {
  const original = path.join(buildDirectoryOf(project), NAME);
  const image = path.join(project, "bin", targetOf(project), `${NAME}.bin`);
  // The program, too: the image is made only of a new program, whether or not an image exists.
  for (const file of [image, `${original}.bin`, `${original}.elf`]) await rm(file, { force: true });
  const said = await build();
  if (!existsSync(image)) throw new Error(`ESP-IDF cannot build it:\n${said}`);
  return image;
}
