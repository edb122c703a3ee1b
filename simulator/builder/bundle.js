/** TypeScript to one ES module that XS runs: the program's own files in, the platform's modules left out. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

/** Specifiers that the platform answers: modules of ECMA-419, of the Moddable SDK, and our own natives. */
const PLATFORM = ["embedded:*", "timer", "time", "crypt", "crc32", "base64", "text", "mc/*", "svc/*"];

/**
 * @param {string} entry
 * @param {string} output
 * @returns {Promise<string>} `output`
 */
export async function bundle(entry, output) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    write: false,
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    external: PLATFORM,
    logLevel: "warning",
  });
  await replace(output, outputFiles[0]?.text ?? "");
  return output;
}

/**
 * Nothing is written where nothing has changed, so that a tree which somebody else has built will do; and
 * a console that starts meanwhile finds the old file or the new one.
 *
 * @param {string} file
 * @param {string} text
 */
async function replace(file, text) {
  if ((await readFile(file, "utf8").catch(() => undefined)) === text) return;
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, text);
  await rename(temporary, file);
}
