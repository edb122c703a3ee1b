/** AOT files in the staging directory, by the target that they declare. */
import type { VariantArchitecture } from "../../../protocol/architecture.js";
import {
  readVariantArchitecture,
  requireVariantArchitecture,
  VARIANT_HEAD_BYTES,
} from "../../../protocol/variant-architecture.js";
import type { Directory } from "../../ports/files.js";
import type { StagedVariant } from "./app-store.js";

/** @throws {Fault} `variant_invalid` */
export function architectureOf(files: Directory, path: string): VariantArchitecture {
  return readVariantArchitecture(headOf(files, path));
}

/** @throws {Fault} `variant_invalid` for a file that is made for something else than its name says */
export function requireArchitecture(files: Directory, { architecture, path }: StagedVariant): void {
  requireVariantArchitecture(headOf(files, path), architecture);
}

function headOf(files: Directory, path: string): Uint8Array {
  const head = new Uint8Array(VARIANT_HEAD_BYTES);
  const file = files.openFile({ path, mode: "r" });
  try {
    return head.subarray(0, file.read(head, 0));
  } finally {
    file.close();
  }
}
