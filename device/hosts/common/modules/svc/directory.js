/** `svc/directory`: what every directory does with paths, over the functions of one medium (ECMA-419 file storage). */

/** @typedef {import("../../../../ports/files.js").FileStatus} StatusPort */

/** @implements {StatusPort} */
export class Status {
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

/** A path that relative ones are resolved against until it is closed. */
export class Directory {
  /** Path and a slash, `""` for the root, `undefined` once closed. @type {string | undefined} */
  #prefix;

  /** @param {string} prefix */
  constructor(prefix) {
    this.#prefix = prefix;
  }
  /**
   * The path of an entry, from the root of the medium; of the directory itself where `path` is left out.
   * @protected
   * @param {string} [path]
   */
  resolve(path) {
    if (this.#prefix === undefined) throw new Error("Cannot use a closed directory");
    if (path === undefined) return this.#prefix.slice(0, -1);
    if (typeof path !== "string" || path === "") throw new TypeError("A path is a string, and not empty");
    return this.#prefix + path;
  }
  /**
   * What the directory at `path` begins its paths with.
   * @protected
   * @param {string} path
   */
  prefixOf(path) {
    if (!this.status(path).isDirectory()) throw new Error(`Cannot open "${path}": Not a directory`);
    return `${this.resolve(path)}/`;
  }
  /**
   * @param {string} path
   * @returns {StatusPort}
   */
  status(path) {
    throw new Error(`Cannot look at "${path}": the medium does not say how`);
  }
  close() {
    this.#prefix = undefined;
  }
}
