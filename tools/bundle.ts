/** Bundles TypeScript into one ES module for XS. The platform's modules stay external. */
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { replaceFile } from "./files.js";

const root = path.join(import.meta.dirname, "..");

/** Modules that the platform provides: those of ECMA-419, of the Moddable SDK, and our native ones. */
const PLATFORM = ["embedded:*", "timer", "time", "crypt", "crc32", "base64", "text", "mc/*", "svc/*"];

/**
 * Bundles a program. The same sources give the same bytes on any machine and from any directory.
 * @returns the module's text
 */
export async function bundleText(entry: string, plugins: readonly Plugin[] = []): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.resolve(entry)],
    absWorkingDir: root, // file names in the bundle's comments are relative to it
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
