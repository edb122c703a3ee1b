/**
 * The image of a board's firmware. make goes on where ESP-IDF's build fails, and flashes whatever is there: so what an
 * earlier build has left goes first, and an image that is there afterwards is of this one.
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";

/** As every ESP-IDF project of the SDK's is called. */
const NAME = "xs_esp32";

/**
 * @param project directory that mcconfig builds in
 * @param build has mcconfig build it, and returns what that has said
 * @returns the image
 * @throws {Error} with what was said, where there is none
 */
export async function buildBoardImage(project: string, build: () => Promise<string>): Promise<string> {
  const target = `esp32/esp32s3/release/${path.basename(project)}`;
  const original = path.join(project, "tmp", target, "xsProj-esp32s3/build", NAME);
  const image = path.join(project, "bin", target, `${NAME}.bin`);
  // The program, too: an image is made of one that is new, be it there already or not.
  for (const file of [image, `${original}.bin`, `${original}.elf`]) await rm(file, { force: true });
  const said = await build();
  if (!existsSync(image)) throw new Error(`ESP-IDF cannot build it:\n${said}`);
  return image;
}
