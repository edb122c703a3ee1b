/**
 * An app that a console would take: compiled, packed, and looked through as consoles and hubs do before they take one,
 * so that what is wrong with it is known before it is sent anywhere.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { loadTypeScript } from "../../tools/load-typescript.js";
import { SdkError } from "../sdk-error.js";
import { compileApp, languageOf } from "./compile-app.js";
import { writeEditorFiles } from "./editor-files.js";
import { writePackage } from "./protocol.js";

/** @typedef {import("../../protocol/manifest/manifest.ts").Manifest} Manifest */

/**
 * @typedef {object} BuiltApp
 * @property {Manifest} manifest
 * @property {Uint8Array} module
 * @property {Uint8Array} package the bytes of the `.svcpkg`, the same for the same sources
 */

/** @type {typeof import("../../hub/packages/check-package.ts") & typeof import("../verify/verify-app.ts")} */
const { APP_LIMIT_BYTES, checkPackage } = await loadTypeScript([
  "hub/packages/check-package.ts",
  "sdk/verify/verify-app.ts",
]);

/**
 * @param {string} directory
 * @returns {Promise<BuiltApp>}
 * @throws {SdkError} `source_missing`, `compiler_missing`, `compile_failed`; a `Fault` for what a console or the hub
 *   would refuse
 */
export async function buildApp(directory) {
  if (!existsSync(path.join(directory, "manifest.json")))
    throw new SdkError("source_missing", `Cannot build "${directory}": there is no manifest.json`, {
      advice: "Name the directory of an app; `svc app new DIR --lang assemblyscript` makes one.",
    });
  await writeEditorFiles(directory, await languageOf(directory));
  const app = await compileApp(directory);
  const packed = writePackage(app);
  const { manifest } = await checkPackage(packed, APP_LIMIT_BYTES);
  return { manifest, module: app.module, package: packed };
}
