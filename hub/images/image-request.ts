/**
 * What the hub and the program that compiles for it agree on. The program is of the SDK, which is above the hub: the hub
 * starts it in a process and imports nothing of it (`compile-process.ts`, `sdk/builder/native/compile-for-hub.ts`).
 *
 *     directory of its own with module.wasm, request.json ──> the program ──> standard output: the container, status 0
 *                                                                          └> or why there is none, REFUSED_STATUS
 *
 * Standard input carries nothing. It ends when the hub is gone, and the program ends with it.
 */
import type { FaultCode } from "../../protocol/fault.js";
import type { VariantArchitecture } from "../../protocol/file-kind.js";
import type { Manifest } from "../../protocol/manifest/manifest.js";

/**
 * Largest module that is compiled, and largest container that comes of it: what a console takes of a file, unless it was built
 * with another `CONFIG_SVC_APP_MAX_SIZE_KB`.
 */
export const IMAGE_LIMIT_BYTES = 1024 * 1024;

/** The name of such a directory begins with it: the program deletes no other. */
export const DIRECTORY_PREFIX = "svc-compile-";
export const MODULE_FILE = "module.wasm";
export const REQUEST_FILE = "request.json";

/** The content of {@link REQUEST_FILE}. */
export interface CompileRequest {
  readonly architecture: VariantArchitecture;
  readonly manifest: Pick<Manifest, "entry" | "memory_quota" | "capabilities">;
}

/** Exit status of a program that has written a {@link CompileRefusal} as JSON. */
export const REFUSED_STATUS = 3;

export interface CompileRefusal {
  readonly code: FaultCode;
  readonly message: string;
}
