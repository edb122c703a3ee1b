/** The reference of the hub's endpoints: its table knows packages, so it is built as the hub is, and then asked. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { replaceFile } from "../tools/replace-file.js";

const root = join(import.meta.dirname, "..");
/** Where packages are found from. */
const OUTPUT = join(root, "build/docs/hub-reference.js");

/** @returns {Promise<string>} the page, from its heading on */
export async function hubReference() {
  const { outputFiles } = await build({
    entryPoints: [join(root, "hub/reference/page.ts")],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    write: false,
  });
  await replaceFile(OUTPUT, outputFiles[0]?.contents ?? "");
  const page = await import(pathToFileURL(OUTPUT).href);
  return page.hubReference();
}
