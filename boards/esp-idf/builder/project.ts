/**
 * What the ESP-IDF project (../project) is given: a copy of itself, to which ESP-IDF adds the components that it loads, the
 * root as assembly, the generated C, and a list of sources for CMake. Flags of the compiler are there, too, since the
 * engine's have to be those that the root was made with.
 */
import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { readConfig } from "../../../device/services/config/read-config.js";
import { engineFlags, prepareEngine, xs } from "../../../engine/engine.js";
import { nativeTable } from "../../../engine/machine/generate-tables.js";
import type { FirmwareOptions } from "../../../engine/program/firmware-modules.js";
import { makeRoot } from "../../../engine/root/make-root.js";
import { movableRootAssembly } from "../../../engine/root/root-assembly.js";
import { replaceFile, writeIfChanged } from "../../../tools/files.js";
import { isInterpreter } from "../../../tools/native-sources.js";
import { wasm3Flags } from "../../../tools/wasm3.js";
import { hostModules } from "./host-modules.js";
import { projectSources, SHARED_INCLUDES, sharedSources } from "./sources.js";
import { manifestsOf, partsOf, type Target } from "./target.js";

const PROJECT = path.join(import.meta.dirname, "../project");
const FILES = Object.freeze(["CMakeLists.txt", "main/CMakeLists.txt", "main/idf_component.yml"]);

/** The section of constants, which ESP-IDF's linker puts into flash. */
const ROOT_SECTION = ".rodata.console_root";

export interface ProjectOptions extends FirmwareOptions {
  /** Build options that differ from their defaults. */
  readonly config: Readonly<Record<string, unknown>>;
}

export interface Project {
  /** For CMake. */
  readonly folder: string;
  /** The list for CMake. */
  readonly sources: string;
}

/** @param folder for all output */
export async function writeProject(
  folder: string,
  target: Target,
  options: ProjectOptions,
): Promise<Project> {
  const generated = path.join(folder, "generated");
  const project = path.join(folder, "project");
  for (const directory of [generated, path.join(project, "main")])
    await mkdir(directory, { recursive: true });
  for (const name of FILES) await copyFile(path.join(PROJECT, name), path.join(project, name));
  const manifests = await manifestsOf(target);
  await prepareEngine();
  const sources = await projectSources(target);
  const shared = await sharedSources();
  const root = await makeRoot(
    options,
    {
      hostModules: await hostModules({ ...manifests[0]?.config, options: options.config }),
      hosts: sources.host,
      callers: shared.filter((file) => !isInterpreter(file)),
      flags: [...wasm3Flags, ...SHARED_INCLUDES.map((name) => `-I${name}`), "-DSVC_WITHOUT_LIBCRYPTO"],
    },
    path.join(folder, "root"),
  );
  const write = (name: string, text: string) => writeIfChanged(path.join(generated, name), text);
  await replaceFile(path.join(generated, "root"), root.bytes);
  const host = [
    ...sources.host,
    await write("native-table.c", await nativeTable(sources.host)),
    await write("console-root.S", movableRootAssembly(root, ROOT_SECTION)),
  ];
  const defines = manifests.reduce<Defines>(
    (merged, { defines: own = {} }) => mergedDefines(merged, own),
    {},
  );
  await write("mc.defines.h", definesOf(defines));
  await write("board-config.h", boardConfig(options));
  const list = await write(
    "sources.cmake",
    [
      cmakeList("SVC_ENGINE", sources.engine),
      cmakeList("SVC_INTERPRETER", sources.interpreter),
      cmakeList("SVC_HOST", host),
      cmakeList("SVC_INCLUDES", [generated, ...sources.includes]),
      cmakeList(
        "SVC_ENGINE_INCLUDES",
        ["includes", "platforms", "sources"].map((name) => path.join(xs, name)),
      ),
      cmakeList(
        "SVC_ENGINE_FLAGS",
        engineFlags("board-platform.h").filter((flag) => flag.startsWith("-D")),
      ),
      cmakeList("SVC_INTERPRETER_FLAGS", wasm3Flags),
      `set(SVC_HAS_RADIO ${target.isEmulated ? "OFF" : "ON"})`,
      `set(SVC_HAS_USB ${partsOf(target).port === "usb-device" ? "ON" : "OFF"})`,
      "",
    ].join("\n"),
  );
  return { folder: project, sources: list };
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
