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

/** Ends everything at once, and leaves no file. */
function endWithHub(): void {
  rmSync(directory, { recursive: true, force: true });
  process.kill(-process.pid, "SIGKILL");
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
  const general = message.replaceAll(directory, ".").replaceAll(installation, ".");
  const text = general.slice(0, MESSAGE_LIMIT_CHARACTERS);
  if (error instanceof Fault) return { code: error.code, message: text };
  if (error instanceof SdkError && (error.code === "compile_failed" || error.code === "compiler_missing"))
    return { code: error.code, message: text };
  if (error instanceof RangeError)
    // of the engine, for an array or a text
    return {
      code: "compile_failed",
      message: "Cannot compile the module ahead of time: it takes too much memory",
    };
  throw error;
}

function write(bytes: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) =>
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve())),
  );
}

setPriority(constants.priority.PRIORITY_BELOW_NORMAL); // requests and consoles come first
process.stdin.resume().once("close", endWithHub);
try {
  await write(await compile());
  process.exit(0);
} catch (error) {
  await write(JSON.stringify(refusalOf(error)));
  process.exit(REFUSED_STATUS);
}
