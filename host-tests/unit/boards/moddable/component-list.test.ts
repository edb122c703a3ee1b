/** The list of components that ESP-IDF loads, which the SDK would write piece by piece. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeComponentList } from "../../../../boards/moddable/component-list.js";
import { temporaryDirectory } from "../../../hosts/simulator-program.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

test("the components of the registry are listed where the SDK looks for them, with their versions", async () => {
  const project = path.join(temporary.path, "esp32s3");
  await writeComponentList(project);
  const file = "tmp/esp32/esp32s3/release/esp32s3/xsProj-esp32s3/main/idf_component.yml";
  expect(readFileSync(path.join(project, file), "utf8").split("\n")).toEqual([
    "dependencies:",
    '  espressif/esp_tinyusb: "^2.0.0"',
    '  espressif/tinyusb: ">=0.17.0~2"',
    "",
  ]);
});
