/** TypeScript to one ES module that XS runs: the program's own files in, the platform's modules left out. */
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { replaceFile } from "./replace-file.js";

const root = path.join(import.meta.dirname, "..");

/** Specifiers that the platform answers: modules of ECMA-419, of the Moddable SDK, and our own natives. */
const PLATFORM = ["embedded:*", "timer", "time", "crypt", "crc32", "base64", "text", "mc/*", "svc/*"];

/**
 * The same sources give the same bytes, wherever and from wherever they are built.
 * @returns the module
 */
export async function bundleText(entry: string, plugins: readonly Plugin[] = []): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.resolve(entry)],
    absWorkingDir: root, // the names in the module's comments are relative to it
    plugins: [...plugins],
    write: false,
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    external: PLATFORM,
    logLevel: "warning",
  });
  return outputFiles[0]?.text ?? "";
}

/** @returns `output` */
export async function bundle(entry: string, output: string): Promise<string> {
  await replaceFile(output, await bundleText(entry));
  return output;
}
