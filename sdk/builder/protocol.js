/**
 * What the SDK needs of `protocol/`, which is TypeScript: the same code that consoles and hubs read packages
 * by. Compiled in memory, once for each process.
 */
import path from "node:path";
import { build } from "esbuild";

const root = path.join(import.meta.dirname, "../..");
const ENTRY = `
  export { appendCustomSection } from "./protocol/custom-section.ts";
  export { readManifest } from "./protocol/manifest/manifest.ts";
  export { writePackage } from "./protocol/package/package-writer.ts";
`;

/**
 * @typedef {typeof import("../../protocol/custom-section.ts")
 *   & typeof import("../../protocol/manifest/manifest.ts")
 *   & typeof import("../../protocol/package/package-writer.ts")} Protocol
 */

/** @returns {Promise<Protocol>} */
async function load() {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: root, loader: "ts" },
    bundle: true,
    format: "esm",
    write: false,
  });
  const source = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return import(`data:text/javascript;base64,${source}`);
}

export const { appendCustomSection, readManifest, writePackage } = await load();
