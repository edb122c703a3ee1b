/** The image of an ESP32-S3 is that of the requested build, or missing. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { buildBoardImage } from "../../../../boards/moddable/board-image.js";
import { temporaryDirectory } from "../../../hosts/simulator-program.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

const project = path.join(temporary.path, "esp32s3");
/** Where the SDK writes the image of a project in a folder of that name. */
const image = path.join(project, "bin/esp32/esp32s3/release/esp32s3/xs_esp32.bin");

/** Files and output of mcconfig and make after a successful build. */
async function build() {
  mkdirSync(path.dirname(image), { recursive: true });
  writeFileSync(image, "image");
  return "fine";
}

test("a build returns the image at the path where the SDK writes it", async () => {
  expect(await buildBoardImage(project, build)).toBe(image);
});

test("a failed build with status 0 is reported, though the image of an earlier build exists", async () => {
  await buildBoardImage(project, build);
  await expect(buildBoardImage(project, async () => "ninja: build stopped")).rejects.toThrow(
    "ESP-IDF cannot build it:\nninja: build stopped",
  );
});
