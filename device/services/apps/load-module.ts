/** Loads a module from the medium into a guest, through a few kilobytes of the heap. */
import { Fault } from "../../../protocol/fault.js";
import { hexadecimal } from "../../../protocol/hexadecimal.js";
import type { Digest, DigestConstructor } from "../../../protocol/ports/digest.js";
import type { Directory, File } from "../../ports/files.js";
import type { Guest } from "../../ports/guest.js";
import type { StoredModule } from "./app-record.js";
import { SLICE_BYTES } from "./limits.js";
import { appDirectory } from "./paths.js";

export interface ModuleSources {
  readonly files: Directory;
  readonly Digest: DigestConstructor;
}

/**
 * The interpreter believes what it is given, so it is given what was validated, or nothing.
 * @throws {Fault} `module_damaged` where the file is not what was stored
 */
export function loadModule(
  { files, Digest }: ModuleSources,
  name: string,
  module: StoredModule,
  guest: Guest,
): void {
  const digest = new Digest("SHA256");
  const file = files.openFile({ path: `${appDirectory(name)}/${module.file}`, mode: "r" });
  try {
    copy(file, module.byteLength, digest, guest);
  } finally {
    file.close();
  }
  if (hexadecimal(new Uint8Array(digest.close())) !== module.sha256)
    throw new Fault("module_damaged", `Cannot start "${name}": its module is not what was installed`);
}

function copy(file: File, byteLength: number, digest: Digest, guest: Guest): void {
  const piece = new Uint8Array(Math.min(SLICE_BYTES, byteLength));
  for (let position = 0; position < byteLength; ) {
    const taken = file.read(piece.subarray(0, Math.min(piece.length, byteLength - position)), position);
    if (taken === 0) return;
    const bytes = piece.subarray(0, taken);
    digest.write(bytes);
    guest.load(bytes);
    position += taken;
  }
}
