/**
 * What the tests of power cuts run on XS: one phase, named by `--config PHASE=…`. The file `a` and the value
 * of `key` are old before a replacement and new after it; `report` traces what there is.
 */
import files from "embedded:storage/files";
import keyValue from "embedded:storage/key-value";
import config from "svc/host";
import retained from "svc/retained-memory";
import system from "svc/system";
import type { Directory } from "../../../device/ports/files.js";

const MARK = "kept over a restart";

const PHASES: Readonly<Record<string, () => void>> = Object.freeze({
  prepare() {
    writeFile("a", "old content of the file");
    writeValue("old value");
    retained.write(new TextEncoder().encode(MARK), 0);
  },
  "replace file"() {
    writeFile("a.new", "NEW CONTENT OF THE FILE");
    files.move("a.new", "a");
  },
  "replace file carelessly"() {
    writeFile("a.new", "NEW CONTENT OF THE FILE", { isFlushed: false });
    files.move("a.new", "a");
    files.createDirectory("b");
  },
  "replace value"() {
    writeValue("new value");
  },
  "delete everything"() {
    files.delete("a");
    keyValue.open({ path: "svc/test", format: "string" }).delete("key");
  },
  report() {
    const bytes = new Uint8Array(MARK.length);
    retained.read(bytes, 0);
    const isRetained = new TextDecoder().decode(bytes) === MARK;
    const value = keyValue.open({ path: "svc/test", format: "string" }).read("key");
    const { resetReason } = system;
    trace(`${JSON.stringify({ file: readFile("a"), value, isRetained, resetReason })}\n`);
  },
});

export default function main(): void {
  PHASES[String(config.options?.["PHASE"])]?.();
  trace("done\n");
}

function writeFile(path: string, text: string, { isFlushed = true } = {}): void {
  const file = files.openFile({ path, mode: "w" });
  const bytes = new TextEncoder().encode(text);
  file.write(bytes.subarray(0, 10), 0);
  file.write(bytes.subarray(10), 10);
  if (isFlushed) file.flush();
  file.close();
}

function readFile(path: string): string | undefined {
  if (!hasName(files, path)) return undefined;
  const file = files.openFile({ path });
  const bytes = new Uint8Array(file.status().size);
  file.read(bytes, 0);
  file.close();
  return new TextDecoder().decode(bytes);
}

function hasName(directory: Directory, name: string): boolean {
  return [...directory.scan()].includes(name);
}

function writeValue(value: string): void {
  keyValue.open({ path: "svc/test", format: "string" }).write("key", value);
}
