/** A stored file as a part to send. */
import { Fault } from "../../protocol/fault.js";
import type { ContentStore } from "./content-store.js";
import type { ContentPart } from "./send-file.js";

/**
 * @param sizeBytes as the database knows it
 * @throws {Fault} `file_damaged` where it is not there, or has another size
 */
export async function storedPart(
  files: ContentStore,
  sha256: string,
  sizeBytes: number,
): Promise<ContentPart> {
  const stored = await files.open(sha256);
  if (stored.sizeBytes === sizeBytes) return { path: stored.path, start: 0, end: sizeBytes };
  throw new Fault(
    "file_damaged",
    `File ${sha256} has ${stored.sizeBytes} bytes in the hub's storage, and is to have ${sizeBytes}`,
  );
}
