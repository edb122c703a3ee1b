/** Paths as a user types them in the shell: `/lfs/…` or relative to it, `.` and `..` allowed. */
import { Fault } from "../../../protocol/fault.js";

/** Names in a path, and separators without one: the console's own files lie six deep. */
const STEP_LIMIT = 32;

/** The file systems: the console's own, the SD card, the USB drive. */
const ROOTS = Object.freeze(["lfs", "sd", "usb"] as const);
export type Root = (typeof ROOTS)[number];

export interface Location {
  readonly root: Root;
  /** Below the root, `""` for the root itself. */
  readonly rest: string;
}

/** @throws {Fault} `bad_parameter` for a path below none of the roots */
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
  throw new Fault("bad_parameter", `A path takes at most ${STEP_LIMIT} names.`);
}

function takeStep(steps: string[], name: string): void {
  if (name === "..") steps.pop();
  else if (name !== "" && name !== ".") steps.push(name);
}
