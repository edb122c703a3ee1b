/**
 * Lists the components that ESP-IDF loads from Espressif's registry. The SDK would add each by a command of its own, all
 * of them at the same time and to one file, which loses some; it adds none that is in the file already.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../tools/files.js";
import { BOARDS, type Board, boardManifestFile, type Ethernet, ethernetManifest } from "./boards.js";

interface Dependency {
  /** In the registry; left out for a part of ESP-IDF. */
  readonly name?: string;
  readonly version?: string;
}

/** @param project directory that mcconfig builds in */
export async function writeComponentList(
  board: Board,
  project: string,
  ethernet: Ethernet | undefined,
): Promise<void> {
  const { platform, chip } = BOARDS[board];
  const directory = path.join(project, "tmp", platform, "release", path.basename(project));
  const lines = (await componentsOf(board, ethernet)).map(
    ({ name, version }) => `  espressif/${name}: "${version}"\n`,
  );
  if (lines.length === 0) return;
  const file = path.join(directory, `xsProj-${chip}/main/idf_component.yml`);
  await replaceFile(file, `dependencies:\n${lines.join("")}`);
}

async function componentsOf(board: Board, ethernet: Ethernet | undefined): Promise<readonly Dependency[]> {
  const manifests: readonly { platforms?: { "..."?: { dependency?: readonly Dependency[] } } }[] = [
    JSON.parse(await readFile(boardManifestFile(board), "utf8")),
    ...(ethernet ? [ethernetManifest(ethernet)] : []),
  ];
  return manifests
    .flatMap(({ platforms }) => platforms?.["..."]?.dependency ?? [])
    .filter(({ name }) => name !== undefined);
}
