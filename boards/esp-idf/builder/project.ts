/**
 * What the ESP-IDF project (../project) is given: the root as assembly, the generated C, and a list of sources for
 * CMake. Flags of the compiler are there, too, since the engine's have to be those that the root was made with.
 */
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { readConfig } from "../../../device/services/config/read-config.js";
import { prepareEngine } from "../../../tools/engine/engine.js";
import { replaceFile } from "../../../tools/files.js";
import type { FirmwareOptions } from "../../../tools/firmware-modules.js";
import { nativeTable, writeIfChanged } from "../../../tools/generate-tables.js";
import { wasm3Flags } from "../../../tools/wasm3.js";
import { buildRootFor, XS_FLAGS } from "../../rv32/build.js";
import { movableRootAssembly } from "../../rv32/builder/root-object.js";
import { hostModules } from "./host-modules.js";
import { ENGINE_INCLUDES, INCLUDES, projectSources } from "./sources.js";

const HOST = path.join(import.meta.dirname, "../../../device/hosts/esp32");

/** Configuration and pins of the board with the emulator's Ethernet; a later one replaces values of an earlier one. */
const MANIFESTS = Object.freeze([
  "manifest.json",
  "boards/esp32/manifest.json",
  "boards/esp32/ethernet-openeth.json",
]);

/** The section of constants, which ESP-IDF's linker puts into flash. */
const ROOT_SECTION = ".rodata.console_root";

export interface ProjectOptions extends FirmwareOptions {
  /** Build options that differ from their defaults. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Folder of littlefs's sources, with lfs.c. */
  readonly littlefs: string;
}

/**
 * @param folder for all output
 * @returns the list for CMake
 */
export async function writeProject(folder: string, options: ProjectOptions): Promise<string> {
  const generated = path.join(folder, "generated");
  await mkdir(generated, { recursive: true });
  const manifests = await Promise.all(
    MANIFESTS.map(async (name) => JSON.parse(await readFile(path.join(HOST, name), "utf8"))),
  );
  await prepareEngine();
  const sources = await projectSources();
  const modules = await hostModules({ ...manifests[0].config, options: options.config });
  const root = await buildRootFor(
    options,
    { hostModules: modules, hosts: sources.host },
    path.join(folder, "root"),
  );
  const write = (name: string, text: string) => writeIfChanged(path.join(generated, name), text);
  await replaceFile(path.join(generated, "root"), root.bytes);
  const host = [
    ...sources.host,
    await write("native-table.c", await nativeTable(sources.host)),
    await write("console-root.S", `${movableRootAssembly(root, ROOT_SECTION)}`),
    ...["lfs.c", "lfs_util.c"].map((name) => path.join(options.littlefs, name)),
  ];
  await write("mc.defines.h", definesOf(manifests.map(({ defines }) => defines).reduce(mergedDefines)));
  await write("board-config.h", boardConfig(options));
  return write(
    "sources.cmake",
    [
      cmakeList("SVC_ENGINE", sources.engine),
      cmakeList("SVC_INTERPRETER", sources.interpreter),
      cmakeList("SVC_HOST", host),
      cmakeList("SVC_INCLUDES", [generated, ...INCLUDES, options.littlefs]),
      cmakeList("SVC_ENGINE_INCLUDES", ENGINE_INCLUDES),
      cmakeList(
        "SVC_ENGINE_FLAGS",
        XS_FLAGS.filter((flag) => flag.startsWith("-D")),
      ),
      cmakeList("SVC_INTERPRETER_FLAGS", wasm3Flags),
      "",
    ].join("\n"),
  );
}

type Defines = Readonly<Record<string, unknown>>;

/** As the Moddable SDK merges the `defines` of manifests. */
export function mergedDefines(defines: Defines, later: Defines): Defines {
  const merged = Object.entries(later).map(([name, value]) => {
    const earlier = defines[name];
    return [name, isGroup(earlier) && isGroup(value) ? mergedDefines(earlier, value) : value];
  });
  return { ...defines, ...Object.fromEntries(merged) };
}

function isGroup(value: unknown): value is Defines {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As the Moddable SDK writes a manifest's `defines` for C. */
export function definesOf(defines: Defines): string {
  const lines = (prefix: string, value: unknown): string[] => {
    if (Array.isArray(value)) return [`#define ${prefix} { ${value.join(", ")} }`];
    if (typeof value === "string" && value.startsWith("#")) return [`#define ${prefix} "${value.slice(1)}"`];
    if (!isGroup(value)) return [`#define ${prefix} ${value}`];
    return Object.entries(value).flatMap(([name, inner]) => lines(`${prefix}_${name.toUpperCase()}`, inner));
  };
  return [...lines("MODDEF", defines), ""].join("\n");
}

function boardConfig({ config }: ProjectOptions): string {
  const { CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S: seconds } = readConfig(config);
  return `#define BOARD_CONFIRM_TIMEOUT_S ${seconds}\n`;
}

function cmakeList(name: string, items: readonly string[]): string {
  const quoted = items.map((item) => `  "${item.replaceAll(/["\\]/g, "\\$&")}"`);
  return [`set(${name}`, ...quoted, ")"].join("\n");
}
