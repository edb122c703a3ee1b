/** Writes and reads whole files through the port, for the cases of the file contract. */
import type { Directory } from "../../device/ports/files.js";
import { equal } from "./assert.js";

export function writeFile(directory: Directory, path: string, bytes: Uint8Array): void {
  const file = directory.openFile({ path, mode: "w" });
  file.write(bytes, 0);
  file.flush();
  file.close();
}

export function readFile(directory: Directory, path: string): Uint8Array {
  const file = directory.openFile({ path });
  const bytes = new Uint8Array(file.status().size);
  equal(file.read(bytes, 0), bytes.length, `bytes of "${path}"`);
  file.close();
  return bytes;
}
