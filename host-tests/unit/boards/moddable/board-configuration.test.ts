/** The board's configuration, in the version that firmware is built in. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeBoardConfiguration } from "../../../../boards/moddable/board-configuration.js";
import { boardDirectory, boardManifest } from "../../esp32/board-manifest.js";

const directory = mkdtempSync(path.join(tmpdir(), "configuration-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const linesOf = (folder: string) => readFileSync(path.join(folder, "sdkconfig.defaults"), "utf8").split("\n");

test("the board's sdkconfig differs from the project's in the version alone", async () => {
  await writeBoardConfiguration(directory, "7.8.9");
  const original = linesOf(path.join(boardDirectory, "sdkconfig"));
  const changed = linesOf(directory).filter((line, index) => line !== original[index]);
  expect(changed).toEqual(['CONFIG_APP_PROJECT_VER="7.8.9"']);
  expect(linesOf(directory).length).toBe(original.length);
});

test("the manifest takes SDKCONFIGPATH from the environment if set", () => {
  expect(boardManifest.build["SDKCONFIGPATH ?="]).toBe("./sdkconfig");
});
