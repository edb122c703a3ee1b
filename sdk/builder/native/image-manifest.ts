/** The manifest of an app that is packed as machine code alone (docs/spec/aot.md#alone). */
import { Fault } from "../../../protocol/fault.js";
import type { VariantArchitecture } from "../../../protocol/file-kind.js";
import { readManifest } from "../../../protocol/manifest/manifest.js";

/**
 * @param json of `manifest.json`, which is for all consoles or for this architecture
 * @returns the same with this `target_arch`
 * @throws {Fault} `manifest_invalid`
 */
export function imageManifest(json: Uint8Array, architecture: VariantArchitecture): Uint8Array {
  const { target_arch } = readManifest(json);
  if (target_arch === architecture) return json;
  if (target_arch !== "generic")
    throw new Fault(
      "manifest_invalid",
      `Cannot pack machine code for ${architecture} alone: target_arch of manifest.json is ${target_arch}`,
      { details: { field: "target_arch" } },
    );
  const fields: object = JSON.parse(new TextDecoder().decode(json));
  return new TextEncoder().encode(
    `${JSON.stringify({ ...fields, target_arch: architecture }, undefined, 2)}\n`,
  );
}
