/** `TextEncoder` and `TextDecoder` (WHATWG Encoding), for UTF-8 and whole texts. */

/** Common labels of UTF-8 (WHATWG Encoding §4.2). */
const LABELS = Object.freeze(["utf-8", "utf8", "unicode-1-1-utf-8"]);
const NOTHING = Object.freeze(new Uint8Array(0));

class TextEncoder {
  get encoding() {
    return "utf-8";
  }
  encode(text = "") {
    return new Uint8Array(native("xs_text_encode").call(this, text));
  }
  /** `read` counts what `text.length` counts. @param {string} text @param {Uint8Array} into */
  encodeInto(text, into) {
    return native("xs_text_encode_into").call(this, text, into);
  }
}

class TextDecoder {
  #isFatal;
  #keepsMark;

  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    if (!LABELS.includes(String(label).toLowerCase())) throw new RangeError(`Cannot decode "${label}"`);
    this.#isFatal = Boolean(fatal);
    this.#keepsMark = Boolean(ignoreBOM);
  }
  get encoding() {
    return "utf-8";
  }
  get fatal() {
    return this.#isFatal;
  }
  get ignoreBOM() {
    return this.#keepsMark;
  }
  /** @param {Uint8Array | ArrayBuffer} bytes @param {{ stream?: boolean }} [options] */
  decode(bytes = NOTHING, options) {
    if (options?.stream) throw new TypeError("Cannot decode a stream: pass the whole text");
    return native("xs_text_decode").call(this, bytes, this.#isFatal, this.#keepsMark);
  }
}

Object.assign(globalThis, { TextEncoder, TextDecoder });
