/** The shell commands `ls` and `cat`, which read the file system except for keys and tokens. */
import { Fault } from "../../../protocol/fault.js";
import type { Directory, File, FileStatus } from "../../ports/files.js";
import { requireRight } from "../auth/rights.js";
import { replaceControls } from "../logs/log-line.js";
import type { Caller } from "./command.js";

// Paths in shell commands: `/lfs/…` or relative to `/lfs`, with `.` and `..`.

/** Limit of the names in a path; empty ones count. The console's own files have at most six. */
const STEP_LIMIT = 32;

/** The file systems: the console's own, the SD card and the USB drive. */
const ROOTS = Object.freeze(["lfs", "sd", "usb"] as const);
type Root = (typeof ROOTS)[number];

interface Location {
  readonly root: Root;
  /** The path below the root, `""` for the root itself. */
  readonly rest: string;
}

/** @throws {Fault} `bad_parameter` for a path outside the roots, or of more than {@link STEP_LIMIT} names */
export function locate(path: string): Location {
  const [first, ...names] = stepsOf(path);
  const root = ROOTS.find((candidate) => candidate === first);
  if (!root) throw new Fault("bad_parameter", `"${path}" is not below /lfs, /sd or /usb.`);
  return { root, rest: names.join("/") };
}

/**
 * The path below the console's own file system, `""` for its root.
 * @throws {Fault} `bad_parameter` for a path outside `/lfs`, or of more than {@link STEP_LIMIT} names
 */
export function resolvePath(path: string): string {
  const [root, ...names] = stepsOf(path);
  if (root !== "lfs") throw new Fault("bad_parameter", `"${path}" is not below /lfs.`);
  return names.join("/");
}

function stepsOf(path: string): string[] {
  const steps: string[] = path.startsWith("/") ? [] : ["lfs"];
  let start = 0;
  for (let count = 0; count < STEP_LIMIT; count++) {
    const slash = path.indexOf("/", start);
    takeStep(steps, path.slice(start, slash < 0 ? path.length : slash));
    if (slash < 0) return steps;
    start = slash + 1;
  }
  throw new Fault("bad_parameter", `A path must have at most ${STEP_LIMIT} names.`);
}

function takeStep(steps: string[], name: string): void {
  if (name === "..") steps.pop();
  else if (name !== "" && name !== ".") steps.push(name);
}

/** Limit of the bytes that `cat` shows, so that its output fits the console's memory (docs/spec/shell.md#files). */
const CAT_LIMIT_BYTES = 4096;

/** Limit of the output of a list, so that it fits the console's memory: a directory may have any number of entries. */
export const LIST_LIMIT_CHARACTERS = 4096;

/** Names that may hold a secret (docs/spec/shell.md#files). */
const SECRET = /\.(pem|key|der|p8)(\.|$)|(^|\/)keys?(\/|$)|token|secret/i;

/** What an app stores, names included. */
const APP_DATA = /^apps\/[^/]+\/data(\/|$)/;

/**
 * @returns the path below `/lfs`
 * @throws {Fault} `bad_parameter`; `unauthorized` for the data of an app, unless the owner asks
 */
function resolveFor(caller: Caller, path: string): string {
  const at = resolvePath(path);
  requireReadable(caller, at);
  return at;
}

/**
 * @param at path below `/lfs`
 * @throws {Fault} `unauthorized` for the data of an app, unless the owner asks
 */
export function requireReadable(caller: Caller, at: string): void {
  if (APP_DATA.test(at)) requireRight(caller, "app_data");
}

/** List one entry per line: size or `dir`, and name, in alphabetical order, as many as fit the limit. */
export function listDirectory(files: Directory, path: string, caller: Caller): string {
  const at = resolveFor(caller, path);
  if (!statusOf(files, at, path).isDirectory()) return `${path}\n`;
  const names = [...(at === "" ? files.scan() : files.scan(at))].sort();
  let output = "";
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    const line = describe(name, files.status(at === "" ? name : `${at}/${name}`));
    if (output.length + line.length > LIST_LIMIT_CHARACTERS)
      return `${output}(and ${names.length - index} more at least)\n`;
    output += line;
  }
  return output;
}

/** Show the file's text; control characters other than tab and line feed appear as dots. */
export function showFile(files: Directory, path: string, caller: Caller): string {
  const at = resolveFor(caller, path);
  if (SECRET.test(at)) throw new Fault("bad_parameter", `Cannot show "${path}": it may hold a secret.`);
  if (!statusOf(files, at, path).isFile()) throw new Fault("bad_parameter", `"${path}" is not a file.`);
  const file = files.openFile({ path: at, mode: "r" });
  try {
    return readText(file);
  } finally {
    file.close();
  }
}

function readText(file: File): string {
  const size = file.status().size;
  const bytes = new Uint8Array(Math.min(size, CAT_LIMIT_BYTES));
  file.read(bytes, 0);
  const text = replaceControls(new TextDecoder().decode(bytes), shownControl);
  const ended = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return size > bytes.length ? `${ended}(${size - bytes.length} more bytes)\n` : ended;
}

function shownControl(control: string): string {
  return control === "\n" || control === "\t" ? control : ".";
}

function statusOf(files: Directory, at: string, path: string): FileStatus {
  if (at === "") return ROOT_STATUS;
  try {
    return files.status(at);
  } catch (cause) {
    throw new Fault("not_found", `There is no "${path}".`, { cause });
  }
}

const ROOT_STATUS: FileStatus = Object.freeze({ size: 0, isFile: () => false, isDirectory: () => true });

function describe(name: string, status: FileStatus): string {
  return `${status.isDirectory() ? "dir".padStart(9) : String(status.size).padStart(9)}  ${name}\n`;
}
