/** `svc/drives`: the folders of `--sd` and `--usb-drive`, to be read only. */

/** @typedef {import("../../../../ports/drives.js").Drives} DrivesPort */
/** @typedef {import("../../../../ports/drives.js").ReadOnlyDirectory} DirectoryPort */
/** @typedef {import("../../../../ports/drives.js").ReadOnlyFile} FilePort */
/** @typedef {import("../../../../ports/files.js").FileStatus} StatusPort */

/** The numbers of native/drive.h. */
const SD = 0;
const USB = 1;

/** @implements {StatusPort} */
class Status {
  #isDirectory;
  #size;

  /** @param {number} size in bytes, or -1 for a directory */
  constructor(size) {
    this.#isDirectory = size < 0;
    this.#size = Math.max(size, 0);
  }
  get size() {
    return this.#size;
  }
  isFile() {
    return !this.#isDirectory;
  }
  isDirectory() {
    return this.#isDirectory;
  }
}

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

/** Names one by one: a drive may hold more of them than the machine has room for. */
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
class Directory {
  #slot;
  /** What its paths begin with, `undefined` once it is closed. @type {string | undefined} */
  #prefix;

  /** @param {number} slot @param {string} prefix */
  constructor(slot, prefix) {
    this.#slot = slot;
    this.#prefix = prefix;
  }
  /** @param {{ path: string, mode?: "r" }} options */
  openFile({ path, mode = "r" }) {
    if (mode !== "r") throw new RangeError(`Cannot open "${path}" in the mode "${mode}"`);
    return new File(this.#slot, this.#resolve(path));
  }
  /** @param {{ path: string }} options */
  openDirectory({ path }) {
    if (!this.status(path).isDirectory()) throw new Error(`Cannot open "${path}": Not a directory`);
    return new Directory(this.#slot, `${this.#resolve(path)}/`);
  }
  /** @param {string} path */
  status(path) {
    return new Status(native("xs_drives_status").call(this, this.#slot, this.#resolve(path)));
  }
  /** @param {string} [path] @returns {IterableIterator<string>} */
  scan(path) {
    return new Scan(this.#slot, path === undefined ? this.#open().slice(0, -1) : this.#resolve(path));
  }
  close() {
    this.#prefix = undefined;
  }

  /** @param {string} path */
  #resolve(path) {
    if (typeof path !== "string" || path === "") throw new TypeError("A path is a string, and not empty");
    return this.#open() + path;
  }
  #open() {
    if (this.#prefix === undefined) throw new Error("Cannot use a closed directory");
    return this.#prefix;
  }
}

/** @param {number} slot */
function find(slot) {
  return native("xs_drives_is_present").call(undefined, slot) ? new Directory(slot, "") : undefined;
}

/** @type {DrivesPort} */
const drives = {
  get sd() {
    return find(SD);
  },
  get usb() {
    return find(USB);
  },
};

export default Object.freeze(drives);
