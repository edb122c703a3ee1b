/** Converts the storage ports' error for a full medium (`ports/files.ts`) to a fault. */
import { Fault } from "../../../protocol/fault.js";

export function isStorageFull(error: unknown): boolean {
  return (
    error instanceof Error &&
    !(error instanceof Fault) &&
    (error as { readonly code?: unknown }).code === "storage_full"
  );
}

/** `error` itself, or `storage_full` with a sentence such as `Cannot keep "svc/log/level"`. */
export function storageFault(error: unknown, sentence: string): unknown {
  return isStorageFull(error)
    ? new Fault("storage_full", `${sentence}: the storage is full`, { cause: error })
    : error;
}
