/** `embedded:storage/key-value`: the console's settings, `DIR/kv` of the state directory. */

/** @implements {Port} @typedef {import("../../../../../ports/key-value.js").KeyValueDomain} Port */
class Domain {
  /** @type {string | undefined} */
  #path;

  /** @param {string} path */
  constructor(path) {
    native("xs_key_value_check").call(this, path);
    this.#path = path;
  }
  /** @param {string} key @returns {string | undefined} */
  read(key) {
    return native("xs_key_value_read").call(this, this.#open(), key);
  }
  /** @param {string} key @param {string} value */
  write(key, value) {
    native("xs_key_value_write").call(this, this.#open(), key, value);
  }
  /** @param {string} key */
  delete(key) {
    native("xs_key_value_delete").call(this, this.#open(), key);
  }
  close() {
    this.#path = undefined;
  }

  #open() {
    if (this.#path === undefined) throw new Error("Cannot use a closed domain");
    return this.#path;
  }
}

/** @type {import("../../../../../ports/key-value.js").KeyValueStorage} */
const storage = {
  open({ path, format }) {
    if (format !== "string") throw new RangeError(`Cannot store the format "${format}"`);
    return new Domain(path);
  },
};

export default Object.freeze(storage);
