/** Paths as a person writes them in the shell: `/lfs/…` or relative to it, `.` and `..` allowed. */
import { Fault } from "../../../protocol/fault.js";

const ROOT = "lfs";

/**
 * The path below the file system's root, `""` for the root itself.
 * @throws {Fault} `bad_parameter` for a path outside `/lfs`
 */
export function resolvePath(path: string): string {
  const resolved: string[] = path.startsWith("/") ? [] : [ROOT];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") resolved.pop();
    else resolved.push(name);
  }
  if (resolved[0] !== ROOT) throw new Fault("bad_parameter", `"${path}" is not below /lfs.`);
  return resolved.slice(1).join("/");
}
