/** Calls the CMake and Ninja of an ESP-IDF that the user has installed (IDF_PATH, `. export.sh`). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../../tools/files.js";
import { trustOnly } from "../../moddable/board-configuration.js";
import { configurationFiles } from "../../moddable/boards.js";

const PROJECT = path.join(import.meta.dirname, "../project");
const TARGET = "esp32";

/** What this project has otherwise is last. */
const CONFIGURATION = [...configurationFiles("esp32", "openeth"), path.join(PROJECT, "sdkconfig.own")];

/** The board's name in images, with which an update's is compared (device/hosts/esp32/native/board-system.c). */
const NAME = "svc_esp32";

export interface IdfBuild {
  /** For all output. */
  readonly folder: string;
  /** The list for CMake (project.ts). */
  readonly sources: string;
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
export async function buildWithIdf({ folder, sources, cmake, ...image }: IdfBuild): Promise<string> {
  const build = path.join(folder, "idf");
  await mkdir(build, { recursive: true });
  const environment = {
    ...process.env,
    IDF_TARGET: TARGET,
    SVC_SOURCES: sources,
    SVC_PROJECT: NAME,
  };
  // ESP-IDF would keep what is in its own file from the build before.
  const own = path.join(folder, "sdkconfig");
  const settings = path.join(folder, "image.sdkconfig");
  await rm(own, { force: true });
  await replaceFile(settings, await settingsOf(image));
  const configuration = [
    `-DSDKCONFIG=${own}`,
    `-DSDKCONFIG_DEFAULTS=${[...CONFIGURATION, settings].join(";")}`,
  ];
  await call(
    "cmake",
    ["-G", "Ninja", "-S", PROJECT, "-B", build, `-DIDF_TARGET=${TARGET}`, ...configuration, ...cmake],
    environment,
  );
  await call("ninja", ["-C", build], environment);
  return build;
}

/** @returns what an image has of its own: it says its version itself. As a file of settings. */
export async function settingsOf({ version, hubCa }: Pick<IdfBuild, "version" | "hubCa">): Promise<string> {
  const trust = hubCa === undefined ? [] : await trustOnly(hubCa);
  return [["CONFIG_APP_PROJECT_VER", `"${version}"`], ...trust]
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

async function call(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(program, args, { env, stdio: ["ignore", 2, 2] });
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`${program} fails with status ${status}`);
}
