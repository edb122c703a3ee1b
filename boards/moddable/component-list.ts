/**
 * Lists the components that ESP-IDF loads from Espressif's registry. The SDK would add each by a command of its own, all
 * of them at the same time and to one file, which loses some; it adds none that is in the file already.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../tools/files.js";
import { idfProjectOf } from "./board-image.js";

const MANIFEST = path.join(import.meta.dirname, "../../device/hosts/moddable/esp32s3/manifest.json");

interface Dependency {
  /** In the registry; left out for a part of ESP-IDF. */
  readonly name?: string;
  readonly version?: string;
}

/** @param project directory that mcconfig builds in */
export async function writeComponentList(project: string): Promise<void> {
  const { platforms } = JSON.parse(await readFile(MANIFEST, "utf8"));
  const lines = (platforms["..."].dependency as readonly Dependency[])
    .filter(({ name }) => name !== undefined)
    .map(({ name, version }) => `  espressif/${name}: "${version}"\n`);
  const file = path.join(idfProjectOf(project), "main/idf_component.yml");
  await replaceFile(file, `dependencies:\n${lines.join("")}`);
}
