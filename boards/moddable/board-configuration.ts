/** The configuration of ESP-IDF, which contains the firmware version: an image reports it itself. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../tools/files.js";
import { type Board, configurationFiles, type Ethernet } from "./boards.js";

const VERSION = "CONFIG_APP_PROJECT_VER";

/**
 * Writes the board's configuration for firmware of that version.
 * @param directory for `SDKCONFIGPATH`
 */
export async function writeBoardConfiguration(
  directory: string,
  version: string,
  board: Board,
  ethernet?: Ethernet,
): Promise<void> {
  const settings = await readBoardConfiguration(board, ethernet);
  if (!settings.has(VERSION)) throw new Error(`No version is in the configuration of ${board}`);
  settings.set(VERSION, `"${version}"`);
  const lines = [...settings].map(([name, value]) => `${name}=${value}\n`);
  await replaceFile(path.join(directory, "sdkconfig.defaults"), lines.join(""));
}

/** @returns values by name. The SDK takes one line for each: so what the board sets replaces what all of them have. */
export async function readBoardConfiguration(
  board: Board,
  ethernet?: Ethernet,
): Promise<Map<string, string>> {
  const settings = new Map<string, string>();
  for (const file of configurationFiles(board, ethernet))
    for (const [, name, value] of (await readFile(file, "utf8")).matchAll(/^(CONFIG_\w+)=(.*)$/gm))
      settings.set(name as string, value as string);
  return settings;
}
