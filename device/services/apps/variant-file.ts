/** AOT files in the staging directory, by what they say they are made for. */
import type { VariantArchitecture } from "../../../protocol/architecture.js";
import { Fault } from "../../../protocol/fault.js";
import { readVariantArchitecture, VARIANT_HEAD_BYTES } from "../../../protocol/variant-architecture.js";
import type { Directory } from "../../ports/files.js";
import type { StagedVariant } from "./app-store.js";

/** @throws {Fault} `variant_invalid` */
export function architectureOf(files: Directory, path: string): VariantArchitecture {
  const head = new Uint8Array(VARIANT_HEAD_BYTES);
  const file = files.openFile({ path, mode: "r" });
  try {
    return readVariantArchitecture(head.subarray(0, file.read(head, 0)));
  } finally {
    file.close();
  }
}

/** @throws {Fault} `variant_invalid` for a file that is made for something else than its name says */
export function requireArchitecture(files: Directory, { architecture, path }: StagedVariant): void {
  const found = architectureOf(files, path);
  if (found !== architecture)
    throw new Fault(
      "variant_invalid",
      `Cannot take an AOT file for ${architecture}: it is made for ${found}`,
    );
}
