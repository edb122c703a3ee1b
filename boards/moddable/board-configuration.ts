/** The configuration of ESP-IDF, which contains the firmware version: an image reports it itself. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../tools/files.js";

const FILE = path.join(import.meta.dirname, "../../device/hosts/esp32/sdkconfig/sdkconfig.defaults");
const VERSION = /^(CONFIG_APP_PROJECT_VER)=.*$/m;

/**
 * Writes the board's configuration for firmware of that version.
 * @param directory for `SDKCONFIGPATH`
 */
export async function writeBoardConfiguration(directory: string, version: string): Promise<void> {
  const text = await readFile(FILE, "utf8");
  if (!VERSION.test(text)) throw new Error(`No version is in "${FILE}"`);
  await replaceFile(path.join(directory, path.basename(FILE)), text.replace(VERSION, `$1="${version}"`));
}
