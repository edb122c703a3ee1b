/** `timer`: callbacks after a time in milliseconds. A set timer keeps itself alive. */
class Handle extends Native("xs_timer_destructor") {
  /** @param {() => void} callback @param {number} milliseconds @param {boolean} isRepeating */
  constructor(callback, milliseconds, isRepeating) {
    super();
    native("xs_timer_constructor").call(this, callback, milliseconds, isRepeating);
  }
  clear() {
    native("xs_timer_clear").call(this);
  }
}

/** @type {import("../../../protocol/ports/runtime.js").Timer} */
const timer = {
  set(callback, milliseconds = 0) {
    return new Handle(callback, milliseconds, false);
  },
  repeat(callback, milliseconds) {
    return new Handle(callback, milliseconds, true);
  },
  clear(handle) {
    /** @type {Handle | undefined} */ (handle)?.clear();
  },
};

export default Object.freeze(timer);
