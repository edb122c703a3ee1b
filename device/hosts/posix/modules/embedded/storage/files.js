/** `embedded:storage/files`: the console's file system, `DIR/lfs` of the state directory. */

import { Directory as Paths, Status } from "svc/directory";

/** @typedef {import("../../../../../ports/files.js").Directory} DirectoryPort */
/** @typedef {import("../../../../../ports/files.js").File} FilePort */

/** The permissions of each mode: reading, writing, and whether the file is created or truncated. */
const MODES = Object.freeze({
  r: Object.freeze([true, false, false]),
  "r+": Object.freeze([true, true, false]),
  w: Object.freeze([false, true, true]),
  "w+": Object.freeze([true, true, true]),
});

/** @implements {FilePort} */
class File extends Native("xs_file_destructor") {
  /** @param {string} path @param {keyof typeof MODES} mode */
  constructor(path, mode) {
    super();
    if (!Object.hasOwn(MODES, mode)) throw new RangeError(`Cannot open "${path}" in the mode "${mode}"`);
    const [isReadable, isWritable, isEmptied] = MODES[mode];
    native("xs_file_constructor").call(this, path, isReadable, isWritable, isEmptied);
  }
  /** @param {Uint8Array} into @param {number} position @returns {number} */
  read(into, position) {
    return native("xs_file_read").call(this, into, position);
  }
  /** @param {Uint8Array} bytes @param {number} position */
  write(bytes, position) {
    native("xs_file_write").call(this, bytes, position);
  }
  status() {
    return new Status(native("xs_file_size").call(this));
  }
  /** @param {number} byteLength */
  setSize(byteLength) {
    native("xs_file_set_size").call(this, byteLength);
  }
  flush() {
    native("xs_file_flush").call(this);
  }
  close() {
    native("xs_file_close").call(this);
  }
}

/** @implements {DirectoryPort} */
class Directory extends Paths {
  /** @param {{ path: string, mode?: keyof typeof MODES }} options */
  openFile({ path, mode = "r" }) {
    return new File(this.resolve(path), mode);
  }
  /** @param {{ path: string }} options */
  openDirectory({ path }) {
    return new Directory(this.prefixOf(path));
  }
  /** @param {string} path @returns {boolean} */
  delete(path) {
    return native("xs_files_delete").call(this, this.resolve(path));
  }
  /** @param {string} from @param {string} to */
  move(from, to) {
    native("xs_files_move").call(this, this.resolve(from), this.resolve(to));
  }
  /** @override @param {string} path */
  status(path) {
    return new Status(native("xs_files_status").call(this, this.resolve(path)));
  }
  /** @param {string} path @returns {boolean} */
  createDirectory(path) {
    return native("xs_files_create_directory").call(this, this.resolve(path));
  }
  /** @param {string} [path] @returns {IterableIterator<string>} */
  scan(path) {
    return native("xs_files_scan").call(this, this.resolve(path))[Symbol.iterator]();
  }
}

/** The root directory: its users did not open it and cannot close it. */
class Root extends Directory {
  constructor() {
    super("");
  }
  /** @override */
  close() {}
}

export default Object.freeze(new Root());
