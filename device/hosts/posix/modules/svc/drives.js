/** `svc/drives`: the folders of `--sd` and `--usb-drive`, of which the first can be written to. */

import { Directory as Paths, Status } from "svc/directory";

/** @typedef {import("../../../../ports/drives.js").Drives} DrivesPort */
/** @typedef {import("../../../../ports/drives.js").Card} DirectoryPort */
/** @typedef {import("../../../../ports/drives.js").ReadOnlyFile} FilePort */

/** Numbers of native/storage/drive.h. */
const SD = 0;
const USB = 1;
/** @type {DrivesPort["slots"]} */
const SLOTS = Object.freeze(["sd", "usb"]);

/** @implements {FilePort} */
class File extends Native("xs_drive_file_destructor") {
  /** @param {number} slot @param {string} path */
  constructor(slot, path) {
    super();
    native("xs_drive_file_constructor").call(this, slot, path);
  }
  /** @param {Uint8Array} into @param {number} position @returns {number} */
  read(into, position) {
    return native("xs_drive_file_read").call(this, into, position);
  }
  status() {
    return new Status(native("xs_drive_file_size").call(this));
  }
  close() {
    native("xs_drive_file_close").call(this);
  }
}

/** Names one by one: a drive may hold more names than the machine has memory for. */
class Scan extends Native("xs_drive_scan_destructor") {
  /** @param {number} slot @param {string} path */
  constructor(slot, path) {
    super();
    native("xs_drive_scan_constructor").call(this, slot, path);
  }
  /** @returns {IteratorResult<string>} */
  next() {
    const value = native("xs_drive_scan_next").call(this);
    return value === undefined ? this.return() : { done: false, value };
  }
  /** @returns {IteratorReturnResult<undefined>} */
  return() {
    native("xs_drive_scan_close").call(this);
    return { done: true, value: undefined };
  }
  [Symbol.iterator]() {
    return this;
  }
}

/** @implements {DirectoryPort} */
class Directory extends Paths {
  #slot;

  /** @param {number} slot @param {string} prefix */
  constructor(slot, prefix) {
    super(prefix);
    this.#slot = slot;
  }
  /** @param {{ path: string, mode?: "r" }} options */
  openFile({ path, mode = "r" }) {
    if (mode !== "r") throw new RangeError(`Cannot open "${path}" in the mode "${mode}"`);
    return new File(this.#slot, this.resolve(path));
  }
  /** @param {{ path: string }} options */
  openDirectory({ path }) {
    return new Directory(this.#slot, this.prefixOf(path));
  }
  /** @override @param {string} path */
  status(path) {
    return new Status(native("xs_drives_status").call(this, this.#slot, this.resolve(path)));
  }
  /** @param {string} [path] @returns {IterableIterator<string>} */
  scan(path) {
    return new Scan(this.#slot, this.resolve(path));
  }
  /** @param {string} path @param {Uint8Array} bytes @param {number} position */
  write(path, bytes, position) {
    native("xs_drives_write").call(this, this.#slot, this.resolve(path), bytes, position);
  }
  /** @param {string} path @returns {boolean} */
  delete(path) {
    return native("xs_drives_delete").call(this, this.#slot, this.resolve(path));
  }
}

/** @param {number} slot */
function find(slot) {
  return native("xs_drives_is_present").call(undefined, slot) ? new Directory(slot, "") : undefined;
}

/** @type {DrivesPort} */
const drives = {
  get slots() {
    return SLOTS.filter((_, slot) => native("xs_drives_has_slot").call(undefined, slot));
  },
  get sd() {
    return find(SD);
  },
  get usb() {
    return find(USB);
  },
};

export default Object.freeze(drives);
