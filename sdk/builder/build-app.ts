/**
 * An app that a console would take: compiled, packed, and looked through as consoles and hubs do before they take one,
 * so that what is wrong with it is known before it is sent anywhere.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { checkPackage } from "../../hub/packages/check-package.js";
import type { Manifest } from "../../protocol/manifest/manifest.js";
import { writePackage } from "../../protocol/package/package-writer.js";
import { SdkError } from "../sdk-error.js";
import { APP_LIMIT_BYTES } from "../verify/verify-app.js";
import { compileApp, languageOf } from "./compile-app.js";
import { writeEditorFiles } from "./editor-files.js";

export interface BuiltApp {
  readonly manifest: Manifest;
  readonly module: Uint8Array;
  /** The bytes of the `.svcpkg`, the same for the same sources. */
  readonly package: Uint8Array;
}

/**
 * @throws {SdkError} `source_missing`, `compiler_missing`, `compile_failed`; a `Fault` for what a console or the hub
 *   would refuse
 */
export async function buildApp(directory: string): Promise<BuiltApp> {
  if (!existsSync(path.join(directory, "manifest.json")))
    throw new SdkError("source_missing", `Cannot build "${directory}": there is no manifest.json`, {
      advice: "Name the directory of an app; create one with `svc app new DIR --lang assemblyscript`.",
    });
  await writeEditorFiles(directory, await languageOf(directory));
  const app = await compileApp(directory);
  const packed = writePackage(app);
  const { manifest } = await checkPackage(packed, APP_LIMIT_BYTES);
  return { manifest, module: app.module, package: packed };
}
