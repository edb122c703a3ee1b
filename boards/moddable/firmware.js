/**
 * Builds the console with the Moddable SDK's `mcconfig`. There is one project (project.js) a target below `build/`, so
 * that another version is compiled in seconds: only what differs is. Broken firmware has one of its own, since make
 * would take what was compiled of another source under the same name for up to date.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { writeImage } from "../../tools/image.js";
import { withLock } from "../../tools/lock.js";
import { replaceFile } from "../../tools/replace-file.js";
import { wasm3 } from "../../tools/wasm3.js";
import { writeBoardConfiguration } from "./board-configuration.js";
import { buildBoardImage } from "./board-image.js";
import { firstOfSameParts } from "./kept-libraries.js";
import { writeProject } from "./project.js";

const root = path.join(import.meta.dirname, "../..");

/** What images say that they are for, and `GET /api/system` (device/hosts/moddable/native/own-image.h). */
const BOARD = "moddable-simulator";

/** Libraries of the simulator's that have been linked. */
const KEPT = path.join(root, "build/moddable/libraries");

const PLATFORMS = Object.freeze({ sim: "lin", esp32s3: "esp32/esp32s3" });

/** @typedef {import("./sdk.js").Sdk} Sdk */
/** @typedef {import("./sdk.js").Target} Target */
/** @typedef {import("../../tools/firmware.js").FirmwareOptions} FirmwareOptions */
/** @typedef {import("./project.js").BoardFirmwareOptions} BoardFirmwareOptions */
/** @typedef {import("./project.js").SimulatorFirmwareOptions} SimulatorFirmwareOptions */

/**
 * An image of firmware for the console in the simulator. The same sources and options give the same bytes.
 *
 * @param {Sdk} sdk
 * @param {string} output
 * @param {SimulatorFirmwareOptions} options
 * @returns {Promise<string>} `output`
 */
export function buildSimulatorImage(sdk, output, options) {
  const goal = options.isInstrumented ? "instrument" : "release";
  const kind = `${options.isInstrumented ? "-instrumented" : ""}${options.fault ? "-faulty" : ""}`;
  return inProject(`sim${kind}`, async (project) => {
    await writeProject(project, options);
    await compile(sdk, "sim", project, "build", { flags: options.isInstrumented ? ["-i"] : [] });
    const library = path.join(project, "bin/lin/mc", goal, path.basename(project), "mc.so");
    const program = await firstOfSameParts(KEPT, path.join(project, "tmp/lin/mc", goal), library);
    const { version, board = BOARD, securityVersion } = options;
    await replaceFile(output, writeImage({ program, version, board, securityVersion }));
    return output;
  });
}

/**
 * Firmware for a board.
 *
 * @param {Sdk} sdk
 * @param {BoardFirmwareOptions} options
 * @param {boolean} isToDeploy whether it is written to the board that is plugged in
 * @returns {Promise<string>} the image; its program is beside it
 */
export function buildBoardFirmware(sdk, options, isToDeploy) {
  return inProject(options.fault ? "esp32s3-faulty" : "esp32s3", async (project) => {
    const configuration = path.join(project, "sdkconfig");
    await writeProject(project, options);
    await writeBoardConfiguration(configuration, options.version);
    /** @param {string} task */
    const make = (task) =>
      compile(sdk, "esp32s3", project, task, { environment: { SDKCONFIGPATH: configuration } });
    const image = await buildBoardImage(project, () => make("build"));
    if (isToDeploy) await make("deploy");
    return image;
  });
}

/** @template Result @param {string} name @param {(project: string) => Promise<Result>} task */
function inProject(name, task) {
  const project = path.join(root, "build/moddable", name);
  return withLock(project, () => task(project));
}

/**
 * @param {Sdk} sdk
 * @param {Target} target
 * @param {string} project
 * @param {string} task
 * @param {{ flags?: readonly string[], environment?: NodeJS.ProcessEnv }} [settings] of mcconfig's, and those that go
 *   before the manifest's
 * @returns {Promise<string>} what mcconfig and make have said
 * @throws {Error} with that
 */
async function compile(sdk, target, project, task, { flags = [], environment } = {}) {
  const search = [sdk.tools, path.join(root, "node_modules/.bin"), process.env["PATH"]];
  const args = [
    ...flags,
    "-m",
    "-p",
    PLATFORMS[target],
    "-t",
    task,
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
  /** @type {Buffer[]} */
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const [status] = await once(child, "close");
  const said = complaints(Buffer.concat(output).toString());
  if (status !== 0) throw new Error(`mcconfig cannot ${task} it:\n${said}`);
  return said;
}

/** Of what make says, without its progress and what the linker notes of objects that are not frozen. @param {string} text */
function complaints(text) {
  const lines = text.split("\n").filter((line) => !/^# |^### (warning|\d)/.test(line));
  return lines.join("\n").trim();
}
