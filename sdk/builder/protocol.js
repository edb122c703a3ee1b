/**
 * What the SDK needs of `protocol/`, which is TypeScript: the same code that consoles and hubs read packages
 * by. Compiled once for each process.
 */
import { loadTypeScript } from "../../tools/load-typescript.js";

/**
 * @typedef {typeof import("../../protocol/custom-section.ts")
 *   & typeof import("../../protocol/manifest/app-name.ts")
 *   & typeof import("../../protocol/manifest/manifest.ts")
 *   & typeof import("../../protocol/package/package-writer.ts")} Protocol
 */

/** @type {Protocol} */
export const { appendCustomSection, isAppName, readManifest, writePackage } = await loadTypeScript([
  "protocol/custom-section.ts",
  "protocol/manifest/app-name.ts",
  "protocol/manifest/manifest.ts",
  "protocol/package/package-writer.ts",
]);
