/**
 * Builds the console with the Moddable SDK's `mcconfig`. Each target has one project (project.ts) below `build/`, so
 * that another version compiles in seconds: only differences are compiled. Firmware with a fault has its own project,
 * since make would take an object of another source with the same name for up to date.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { replaceFile } from "../../tools/files.js";
import { writeFlashFiles } from "../../tools/flash/flash-files.js";
import { writeImage } from "../../tools/image.js";
import { withLock } from "../../tools/lock.js";
import { wasm3 } from "../../tools/wasm3.js";
import { writeBoardConfiguration } from "../board-configuration.js";
import { buildBoardImage, buildDirectoryOf } from "./board-image.js";
import { writeComponentList } from "./component-list.js";
import { environmentFor, soundEngine } from "./engine-sources.js";
import { firstOfSameParts } from "./kept-libraries.js";
import { type BoardFirmwareOptions, type SimulatorFirmwareOptions, writeProject } from "./project.js";
import type { Sdk, Target } from "./sdk.js";

const root = path.join(import.meta.dirname, "../..");

/** The board name in images and in `GET /api/system` (device/hosts/moddable/native/own-image.h). */
const BOARD = "moddable-simulator";

/** Linked libraries of the simulator. */
const KEPT = path.join(root, "build/moddable/libraries");

/** What `mcconfig -p` calls them. */
const PLATFORMS = Object.freeze({ sim: "lin", esp32s3: "esp32/esp32s3" });

/**
 * Builds a firmware image for the console in the simulator. The same sources and options give the same bytes.
 * @returns `output`
 */
export function buildSimulatorImage(
  sdk: Sdk,
  output: string,
  options: SimulatorFirmwareOptions,
): Promise<string> {
  const goal = options.isInstrumented ? "instrument" : "release";
  const kind = `${options.isInstrumented ? "-instrumented" : ""}${options.fault ? "-faulty" : ""}`;
  return inProject(`sim${kind}`, async (project) => {
    await writeProject(project, options);
    await compile(sdk, "sim", project, { flags: options.isInstrumented ? ["-i"] : [] });
    const library = path.join(project, "bin/lin/mc", goal, path.basename(project), "mc.so");
    const program = await firstOfSameParts(KEPT, path.join(project, "tmp/lin/mc", goal), library);
    const { version, board = BOARD, securityVersion } = options;
    await replaceFile(output, writeImage({ program, version, board, securityVersion }));
    return output;
  });
}

/**
 * Builds firmware for an ESP32-S3.
 * @param isToMerge whether to write the image of the whole flash, and its manifest
 * @returns the image of the firmware, whose program is in the same directory, or of the whole flash
 */
export function buildBoardFirmware(
  sdk: Sdk,
  options: BoardFirmwareOptions,
  isToMerge: boolean,
): Promise<string> {
  const board = "esp32s3";
  return inProject(`${board}${options.fault ? "-faulty" : ""}`, async (project) => {
    const configuration = path.join(project, "sdkconfig");
    await writeProject(project, options);
    await writeBoardConfiguration(configuration, options.version, board, options);
    await writeComponentList(project);
    const xs = await soundEngine(path.join(sdk.root, "xs"), path.join(project, "xs"));
    const environment = { SDKCONFIGPATH: configuration, ...environmentFor(xs, process.env["MAKEFLAGS"]) };
    const image = await buildBoardImage(project, () => compile(sdk, board, project, { environment }));
    if (!isToMerge) return image;
    return (await writeFlashFiles(board, buildDirectoryOf(project), path.join(project, "image"))).image;
  });
}

function inProject<Result>(name: string, task: (project: string) => Promise<Result>): Promise<Result> {
  const project = path.join(root, "build/moddable", name);
  return withLock(project, () => task(project));
}

/**
 * @param settings flags of mcconfig, placed before the manifest, and environment variables
 * @returns the output of mcconfig and make
 * @throws {Error} with that output
 */
async function compile(
  sdk: Sdk,
  target: Target,
  project: string,
  { flags = [], environment }: { flags?: readonly string[]; environment?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const search = [sdk.tools, path.join(root, "node_modules/.bin"), process.env["PATH"]];
  const args = [
    ...flags,
    "-m",
    "-p",
    PLATFORMS[target],
    "-t",
    "build",
    "-o",
    project,
    path.join(project, "manifest.json"),
  ];
  const child = spawn(path.join(sdk.tools, "mcconfig"), args, {
    cwd: project,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...environment,
      MODDABLE: sdk.root,
      PATH: search.join(path.delimiter),
      WASM3: wasm3,
    },
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const [status] = await once(child, "close");
  const said = complaints(Buffer.concat(output).toString());
  if (status !== 0) throw new Error(`mcconfig cannot build it:\n${said}`);
  return said;
}

/** The output of make without progress and without the linker's notes on objects that are not frozen. */
function complaints(text: string): string {
  const lines = text.split("\n").filter((line) => !/^# |^### (warning|\d)/.test(line));
  return lines.join("\n").trim();
}
