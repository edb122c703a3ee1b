/** The package of a compiled app: a tar archive, compressed with gzip. The same app gives the same bytes. */
import { gzipSync } from "fflate";

const BLOCK_BYTES = 512;

/**
 * @param {import("./compile-app.js").CompiledApp} app
 * @returns {Uint8Array}
 */
export function packApp({ manifest, module, icon }) {
  const members = [member("manifest.json", manifest), member("app.wasm", module)];
  if (icon) members.push(member("icon_32.bmp", icon));
  const archive = Buffer.concat([...members, Buffer.alloc(2 * BLOCK_BYTES)]);
  return gzipSync(archive, { mtime: 0, level: 9 });
}

/** @param {string} name @param {Uint8Array} bytes */
function member(name, bytes) {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${bytes.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc(-bytes.length & (BLOCK_BYTES - 1))]);
}
