/**
 * Compiles the module in the working directory, for a hub that has started this program (hub/images/image-request.ts). Exits
 * with status 0 and the container on standard output, or with REFUSED_STATUS and a reason that is the module's or the
 * installation's; with another status where this program fails.
 */
import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import path from "node:path";
import {
  type CompileRefusal,
  type CompileRequest,
  DIRECTORY_PREFIX,
  IMAGE_LIMIT_BYTES,
  MODULE_FILE,
  REFUSED_STATUS,
  REQUEST_FILE,
} from "../../../hub/images/image-request.js";
import { Fault } from "../../../protocol/fault.js";
import { SdkError } from "../../sdk-error.js";
import { prepareModule } from "../prepare-module.js";
import { buildNativeImage } from "./build-image.js";

/** Of a message, in which a compiler may say a lot. */
const MESSAGE_LIMIT_CHARACTERS = 500;

const directory = process.cwd();
const installation = path.join(import.meta.dirname, "../../..");

/** Of the hub's computer, in what compilers say. The name of the file stays. */
const ABSOLUTE_DIRECTORY = /(?<![\w.-])\/(?:[\w.+@~-]+\/)+/g;

const DISK_FULL = /No space left on device|Disk quota exceeded|\bENOSPC\b|\bEDQUOT\b/;

/** Attempts to remove the directory, while a compiler that ends still writes there. */
const REMOVE_ATTEMPTS = 10;

/** Ends everything, and leaves no file. The compilers end first: what they write would keep the directory from being removed. */
function endWithHub(): void {
  process.on("SIGTERM", () => {}); // it is for the others of the group
  try {
    process.kill(-process.pid, "SIGTERM");
    rmSync(directory, { recursive: true, force: true, maxRetries: REMOVE_ATTEMPTS });
  } finally {
    process.kill(-process.pid, "SIGKILL");
  }
}

async function compile(): Promise<Uint8Array> {
  const module = await readFile(path.join(directory, MODULE_FILE));
  const request = JSON.parse(await readFile(path.join(directory, REQUEST_FILE), "utf8"));
  const { architecture, manifest } = request as CompileRequest;
  const { facts } = await prepareModule(module, manifest);
  // Its runtime takes a minute to compile, and the image is larger than a console takes.
  if (facts.script) throw new SdkError("compile_failed", "Cannot compile an app in Python ahead of time");
  const image = await buildNativeImage(module, manifest, architecture);
  if (image.length <= IMAGE_LIMIT_BYTES) return image;
  throw new SdkError(
    "compile_failed",
    `Cannot use the image of the module: it has ${image.length} bytes, and ${IMAGE_LIMIT_BYTES} are the limit`,
  );
}

/** Without the names of directories, which are the hub's own matter. @throws what is no refusal */
function refusalOf(error: unknown): CompileRefusal {
  const { message } = error as Error;
  if (error instanceof Fault)
    return { code: error.code, message: message.slice(0, MESSAGE_LIMIT_CHARACTERS) };
  if (DISK_FULL.test(message))
    return {
      code: "storage_full",
      message: "Cannot compile the module ahead of time: the hub's disk is full",
    };
  if (error instanceof SdkError && (error.code === "compile_failed" || error.code === "compiler_missing"))
    return { code: error.code, message: withoutDirectories(message).slice(0, MESSAGE_LIMIT_CHARACTERS) };
  if (error instanceof RangeError)
    // of the engine, for an array or a text
    return {
      code: "compile_failed",
      message: "Cannot compile the module ahead of time: it takes too much memory",
    };
  throw error;
}

function withoutDirectories(message: string): string {
  const general = message.replaceAll(directory, ".").replaceAll(installation, ".");
  return general.replace(ABSOLUTE_DIRECTORY, "");
}

function write(bytes: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) =>
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve())),
  );
}

if (!path.basename(directory).startsWith(DIRECTORY_PREFIX))
  throw new Error(`Cannot compile in ${directory}: a hub starts this program in a directory that it deletes`);
setPriority(constants.priority.PRIORITY_BELOW_NORMAL); // requests and consoles come first
process.stdin.resume().once("close", endWithHub);
try {
  await write(await compile());
  process.exit(0);
} catch (error) {
  await write(JSON.stringify(refusalOf(error)));
  process.exit(REFUSED_STATUS);
}
