/** `timer`: callbacks after a time in milliseconds. A set timer keeps itself alive. */
class Handle extends Native("xs_timer_destructor") {
  constructor(callback, milliseconds, isRepeating) {
    super();
    native("xs_timer_constructor").call(this, callback, milliseconds, isRepeating);
  }
  clear() {
    native("xs_timer_clear").call(this);
  }
}

export default {
  set(callback, milliseconds = 0) {
    return new Handle(callback, milliseconds, false);
  },
  repeat(callback, milliseconds) {
    return new Handle(callback, milliseconds, true);
  },
  clear(timer) {
    timer?.clear();
  },
};
