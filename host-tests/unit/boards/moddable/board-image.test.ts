/** A board's image is that of the requested build, or missing. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { buildBoardImage } from "../../../../boards/moddable/board-image.js";
import { temporaryDirectory } from "../../../hosts/simulator-program.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

/** Where the SDK writes the image of a project in a folder of that name. */
const PLACES = [
  { board: "esp32s3", name: "esp32s3", place: "bin/esp32/esp32s3/release/esp32s3/xs_esp32.bin" },
  { board: "esp32", name: "esp32-lan8720", place: "bin/esp32/release/esp32-lan8720/xs_esp32.bin" },
] as const;

for (const { board, name, place } of PLACES) {
  const project = path.join(temporary.path, name);
  const image = path.join(project, place);

  /** Files and output of mcconfig and make after a successful build. */
  const build = async () => {
    mkdirSync(path.dirname(image), { recursive: true });
    writeFileSync(image, "image");
    return "fine";
  };

  test(`a build for ${board} returns the image at the path where the SDK writes it`, async () => {
    expect(await buildBoardImage(board, project, build)).toBe(image);
  });

  test(`a failed build for ${board} with status 0 is reported, though the image of an earlier build exists`, async () => {
    await buildBoardImage(board, project, build);
    await expect(buildBoardImage(board, project, async () => "ninja: build stopped")).rejects.toThrow(
      "ESP-IDF cannot build it:\nninja: build stopped",
    );
  });
}
