/** `svc/guest`: an app in its own thread. The engine is in device/wasm/native. */

/** @typedef {import("../../../../ports/guest.js").GuestRequest} GuestRequest */

/** What the app waits for. Of no use once it has been answered. @implements {GuestRequest} */
class Request {
  #guest;
  /** @param {Guest} guest @param {number} number @param {Omit<GuestRequest, "readInput">} description */
  constructor(guest, number, description) {
    this.#guest = guest;
    this.number = number;
    this.function = description.function;
    this.parameters = description.parameters;
    this.inputByteLengths = description.inputByteLengths;
    this.room = description.room;
  }
  /** @param {number} index @param {Uint8Array} into @param {number} offset @returns {number} */
  readInput(index, into, offset) {
    return native("xs_guest_read_input").call(this.#guest, this.number, index, into, offset);
  }
}

export default class Guest extends Native("xs_guest_destructor") {
  /** @param {import("../../../../ports/guest.js").GuestOptions} options */
  constructor(options) {
    super();
    // No private field: the SDK's XS makes none in a class that extends Native.
    /** @type {Request | undefined} */
    this.lastRequest = undefined;
    native("xs_guest_constructor").call(this, options);
  }
  /** @returns {string | undefined} */
  static get machine() {
    return native("xs_guest_machine").call(undefined);
  }
  /** @param {Uint8Array} bytes */
  load(bytes) {
    native("xs_guest_load").call(this, bytes);
  }
  /** @param {string} entry */
  start(entry) {
    native("xs_guest_start").call(this, entry);
  }
  stop() {
    native("xs_guest_stop").call(this);
  }
  suspend() {
    native("xs_guest_suspend").call(this);
  }
  resume() {
    native("xs_guest_resume").call(this);
  }
  bringToFront() {
    native("xs_guest_bring_to_front").call(this);
  }
  get request() {
    const number = native("xs_guest_request_number").call(this);
    if (number === 0) this.lastRequest = undefined;
    else if (this.lastRequest?.number !== number) {
      const description = native("xs_guest_describe_request").call(this);
      this.lastRequest = description && new Request(this, number, description);
    }
    return this.lastRequest;
  }
  /** @param {Uint8Array} bytes @param {number} offset */
  writeAnswer(bytes, offset) {
    native("xs_guest_write_answer").call(this, bytes, offset);
  }
  /** @param {number} result */
  answer(result) {
    native("xs_guest_answer").call(this, result);
  }
  takeLog() {
    return native("xs_guest_take_log").call(this);
  }
  close() {
    native("xs_guest_close").call(this);
  }
}
