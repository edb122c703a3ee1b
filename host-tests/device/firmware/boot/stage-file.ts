/** Takes new firmware from a file, where a test has put it, and who signed it from the one beside it. */
import type { Directory } from "../../../../device/ports/files.js";
import type { BundleSignature, FirmwareSlots } from "../../../../device/ports/firmware-slots.js";

const PIECE_BYTES = 4096;

export function stageFile(files: Directory, slots: FirmwareSlots, path: string): void {
  const file = files.openFile({ path });
  const updater = slots.open();
  const piece = new Uint8Array(PIECE_BYTES);
  for (let offset = 0, count = piece.length; count === piece.length; offset += count) {
    count = file.read(piece, offset);
    updater.write(piece.subarray(0, count));
  }
  updater.complete(signedBy(files, `${path}.signed`));
  updater.close();
  file.close();
}

function signedBy(files: Directory, path: string): BundleSignature {
  const bytes = new Uint8Array(96);
  const file = files.openFile({ path });
  file.read(bytes, 0);
  file.close();
  return { signature: bytes.subarray(0, 64), publicKey: bytes.subarray(64) };
}
