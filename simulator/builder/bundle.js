/** TypeScript to one ES module that XS runs: the program's own files in, the platform's modules left out. */
import { build } from "esbuild";

/** Specifiers that the platform answers: modules of ECMA-419, of the Moddable SDK, and our own natives. */
const PLATFORM = ["embedded:*", "timer", "time", "crypt", "crc32", "base64", "text", "mc/*", "svc/*"];

/**
 * @param {string} entry
 * @param {string} output
 * @returns {Promise<string>} `output`
 */
export async function bundle(entry, output) {
  await build({
    entryPoints: [entry],
    outfile: output,
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    external: PLATFORM,
    logLevel: "warning",
  });
  return output;
}
