/** Calls the CMake and Ninja of an ESP-IDF that the user has installed (IDF_PATH, `. export.sh`), and its programmer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../../tools/files.js";
import { trustOnly } from "../../board-configuration.js";
import { ETHERNET } from "../../boards.js";
import type { Project } from "./project.js";
import { chipOf, settingsFiles, type Target } from "./target.js";

const ROOT = path.join(import.meta.dirname, "../../..");

/** The board's name in images, with which an update's is compared (device/hosts/esp32/native/board-system.c). */
const projectOf = ({ board }: Target) => `svc_${board}`;

/** @returns path of the firmware, which an update is packed of */
export const firmwareFile = (build: string, target: Target) => path.join(build, `${projectOf(target)}.bin`);

export interface IdfBuild {
  /** For all output. */
  readonly folder: string;
  readonly target: Target;
  readonly project: Project;
  readonly version: string;
  /** PEM file of the only authorities that a hub's certificate may come from; ESP-IDF's list if left out. */
  readonly hubCa?: string | undefined;
  /** More arguments of CMake. */
  readonly cmake: readonly string[];
}

/**
 * @returns the directory with what is to be flashed, and `flasher_args.json`, which lists it
 * @throws {Error} if CMake or Ninja fails; their output is on standard error
 */
export async function buildWithIdf({ folder, target, project, cmake, ...image }: IdfBuild): Promise<string> {
  const build = path.join(folder, "idf");
  const chip = chipOf(target);
  await mkdir(build, { recursive: true });
  await addComponents(project.folder, target);
  const environment = {
    ...process.env,
    IDF_TARGET: chip,
    SVC_SOURCES: project.sources,
    SVC_PROJECT: projectOf(target),
    // Paths that the compiler writes into objects begin with these names instead.
    SVC_ROOT: ROOT,
    SVC_FOLDER: folder,
  };
  // ESP-IDF would keep what is in its own file from the build before.
  const own = path.join(folder, "sdkconfig");
  const settings = path.join(folder, "image.sdkconfig");
  await rm(own, { force: true });
  await replaceFile(settings, await settingsOf(target, image));
  const configuration = [
    `-DSDKCONFIG=${own}`,
    `-DSDKCONFIG_DEFAULTS=${[...settingsFiles(target), settings].join(";")}`,
  ];
  const folders = ["-G", "Ninja", "-S", project.folder, "-B", build];
  await call("cmake", [...folders, `-DIDF_TARGET=${chip}`, ...configuration, ...cmake], environment);
  await call("ninja", ["-C", build], environment);
  return build;
}

/** The component of Espressif's registry that drives the board's Ethernet chip, from ESP-IDF 6 on. */
async function addComponents(project: string, { ethernet }: Target): Promise<void> {
  const chip = ethernet && ETHERNET[ethernet];
  if (!chip || !("component" in chip)) return;
  const file = path.join(project, "main/idf_component.yml");
  const line = `  espressif/${chip.component}:\n    version: "^1.0.0"\n    rules:\n      - if: "idf_version >=6.0"\n`;
  await replaceFile(file, `${await readFile(file, "utf8")}${line}`);
}

/** @returns what an image has of its own: it says its version itself. As a file of settings. */
export async function settingsOf(
  { board }: Pick<Target, "board">,
  { version, hubCa }: Pick<IdfBuild, "version" | "hubCa">,
): Promise<string> {
  const partitions = path.join(ROOT, "device/hosts/esp32/boards", board, "partitions.csv");
  const trust = hubCa === undefined ? [] : await trustOnly(hubCa);
  return [
    ["CONFIG_APP_PROJECT_VER", `"${version}"`],
    ["CONFIG_PARTITION_TABLE_CUSTOM_FILENAME", `"${partitions}"`],
    ...trust,
  ]
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

/** Programs a board with ESP-IDF's esptool. @param port the one that esptool finds if left out */
export async function flash(build: string, target: Target, port: string | undefined): Promise<void> {
  const chosen = port === undefined ? [] : ["--port", port];
  const words = ["--chip", chipOf(target), ...chosen, "write_flash", "@flash_args"];
  await call("python", ["-m", "esptool", ...words], process.env, build);
}

async function call(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string = ROOT,
): Promise<void> {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", 2, 2] });
  const [status] = await once(child, "close").catch((error) => {
    throw error.code === "ENOENT"
      ? new Error(`There is no ${program} in the path: call ". $IDF_PATH/export.sh" first`)
      : error;
  });
  if (status !== 0) throw new Error(`${program} fails with status ${status}`);
}
