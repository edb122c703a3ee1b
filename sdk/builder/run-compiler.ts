/** Runs the compilers and linkers of apps, which are programs of the system. */
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { shownText } from "../../tools/shown-text.js";
import { CompileError, SdkError } from "../sdk-error.js";
import { type ProgramFailure, saidBy } from "./native/program-failure.js";

const run = promisify(execFile);
/** A compiler's messages may be long; beyond, it ends. */
const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * @param sources what is compiled, for the message
 * @param directory where it runs; default: that of this process
 * @returns its warnings
 * @throws {CompileError} with its messages; {SdkError} `source_missing` if the directory has been moved away or deleted; the system's
 *   error if there is no such program
 */
export async function runCompiler(
  program: string,
  words: readonly string[],
  { sources, directory }: { readonly sources: string; readonly directory?: string },
): Promise<string> {
  try {
    return shownText((await run(program, words, { cwd: directory, maxBuffer: MESSAGE_LIMIT_BYTES })).stderr);
  } catch (error) {
    if (isMissingProgram(error)) throw await goneUnless(directory, error);
    throw new CompileError(sources, saidBy(program, error as ProgramFailure));
  }
}

/** Whether `execFile` has found no program, or no directory to start it in, rather than a program no file. */
export function isMissingProgram(error: unknown): boolean {
  const { code, syscall = "" } = error as { readonly code?: unknown; readonly syscall?: string };
  return code === "ENOENT" && syscall.startsWith("spawn");
}

/** The system has one error for both. */
async function goneUnless(directory: string | undefined, error: unknown): Promise<unknown> {
  if (directory === undefined || (await stat(directory).catch(() => undefined))?.isDirectory()) return error;
  return new SdkError("source_missing", `Cannot compile the app in "${directory}": the directory is gone`, {
    advice: "It was moved or deleted: name the directory where the app is now.",
  });
}

/** Shows a compiler's warnings; progress that it has erased is none. */
export function showWarnings(warnings: string): void {
  if (warnings.trim() !== "") process.stderr.write(`${warnings.trimEnd()}\n`);
}
