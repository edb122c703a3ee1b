/** State that survives a power cut: extracted from one emulated storage, and loaded into a new one. */
import type { Directory } from "../../device/ports/files.js";
import type { Slot } from "../../device/ports/firmware-slots.js";
import type { EmulatedBootLoader } from "../hosts/emulated-slots.js";
import { EmulatedStorage } from "../hosts/emulated-storage.js";

/** The only directory that firmware updates use. */
const DIRECTORY = "hub";

/** Location of the result of the last update: `svc/ota/last`. */
const DOMAIN = Object.freeze({ path: "svc/ota", format: "string" } as const);
const KEY = "last";

const SLOT_BYTES = 64 * 1024;

export interface KeptState {
  /** Content by file name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly lastUpdate: string | undefined;
  readonly slots: Readonly<Record<Slot, Uint8Array>>;
  readonly record: EmulatedBootLoader["record"];
}

/** @param storage restarted after a power cut, so that it has no unflushed data */
export function keptIn(storage: EmulatedStorage): KeptState {
  const { bootLoader, files, keyValue } = storage;
  const names = [...files.scan(DIRECTORY)];
  return {
    files: new Map(names.map((name) => [name, contentOf(files, `${DIRECTORY}/${name}`)])),
    lastUpdate: keyValue.open(DOMAIN).read(KEY),
    slots: { a: bootLoader.content("a"), b: bootLoader.content("b") },
    record: bootLoader.record,
  };
}

/** Creates a storage with this state, before its boot loader starts. */
export function storageWith({ files, lastUpdate, slots, record }: KeptState): EmulatedStorage {
  const storage = new EmulatedStorage({ slotBytes: SLOT_BYTES });
  const { bootLoader, keyValue } = storage;
  storage.files.createDirectory(DIRECTORY);
  for (const [name, content] of files) write(storage.files, `${DIRECTORY}/${name}`, content);
  if (lastUpdate !== undefined) keyValue.open(DOMAIN).write(KEY, lastUpdate);
  for (const slot of ["a", "b"] as const) {
    bootLoader.append(slot, slots[slot]);
    bootLoader.flush(slot);
  }
  bootLoader.change(record, record.confirmed);
  return storage;
}

function contentOf(files: Directory, path: string): Uint8Array {
  const file = files.openFile({ path });
  const bytes = new Uint8Array(file.status().size);
  file.read(bytes, 0);
  file.close();
  return bytes;
}

function write(files: Directory, path: string, content: Uint8Array): void {
  const file = files.openFile({ path, mode: "w" });
  file.write(content, 0);
  file.flush();
  file.close();
}
