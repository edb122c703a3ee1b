/**
 * Decodes on XS what a test has put into the file `cases`: each case is a length in two bytes, big-endian,
 * and that many bytes. Traces for each what TextDecoder and base64 make of it, as a line of JSON.
 */
import files from "embedded:storage/files";
import base64 from "base64";
import { hexOf } from "../../contracts/assert.js";

export default function main(): void {
  const cases = readFile("cases");
  for (let at = 0; at < cases.length; ) {
    const length = ((cases[at] ?? 0) << 8) | (cases[at + 1] ?? 0);
    const bytes = cases.subarray(at + 2, at + 2 + length);
    at += 2 + length;
    trace(`${JSON.stringify(decodings(bytes))}\n`);
  }
  trace("done\n");
}

function decodings(bytes: Uint8Array) {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return {
    text,
    strict: attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    again: hexOf(new TextEncoder().encode(text)),
    base64: attempt(() => hexOf(new Uint8Array(base64.decode(text)))),
    encoded: base64.encode(bytes),
  };
}

function attempt(decode: () => string): string | null {
  try {
    return decode();
  } catch {
    return null; // refused
  }
}

function readFile(path: string): Uint8Array {
  const file = files.openFile({ path });
  const bytes = new Uint8Array(file.status().size);
  file.read(bytes, 0);
  file.close();
  return bytes;
}
