/**
 * Builds the window of the simulated console (window/), which alone needs SDL 2. `npm start -- --window` builds it; the
 * console itself is built without.
 */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { withLock } from "../tools/lock.js";
import { nativeSources } from "../tools/native-sources.js";
import { compileStale, linkStale } from "../tools/objects.js";

const run = promisify(execFile);
const root = path.dirname(import.meta.dirname);
const folder = path.join(import.meta.dirname, "window");
const output = path.join(root, "build/window");

const FLAGS = [
  ...["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror"],
  ...["simulator/native", "device/hosts/common/native"].map((name) => `-I${path.join(root, name)}`),
  ...["-isystem/usr/include/SDL2", "-D_REENTRANT"], // as Debian's `sdl2-config --cflags`
];

/**
 * Compiles what is out of date and links.
 * @returns path of the executable
 * @throws {Error} with the compiler's output, also if SDL is not installed
 */
export function buildWindow(): Promise<string> {
  const executable = path.join(output, "window");
  return withLock(output, async () => {
    const jobs = (await nativeSources(folder)).map((source) => ({
      source,
      flags: FLAGS,
      object: path.join(output, `${path.basename(source, ".c")}.o`),
    }));
    await compileStale("gcc", jobs, (count) =>
      process.stderr.write(`simulator: compiling ${count} files (window)\n`),
    );
    const files = jobs.map(({ object }) => object);
    const flags = ["-lSDL2"];
    await linkStale(executable, { files, flags }, (file) => run("gcc", [...files, "-o", file, ...flags]));
    return executable;
  });
}
