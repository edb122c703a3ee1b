/** The beginning of an AOT file as WAMR writes it, up to its architecture. */
export function aotFile(architecture = "xtensa", content = "machine code"): Uint8Array {
  const file = new Uint8Array(16 + 48 + content.length);
  const view = new DataView(file.buffer);
  file.set(new TextEncoder().encode("\0aot"));
  view.setUint32(4, 5, true);
  view.setUint32(12, 48, true); // the target info, which is section 0
  file.set(new TextEncoder().encode(architecture), 16 + 32);
  file.set(new TextEncoder().encode(content), 16 + 48);
  return file;
}
