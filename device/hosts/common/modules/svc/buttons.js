/** `svc/buttons`: which buttons are down, and those that a remote client holds down. */

/** @type {import("../../../../ports/display.js").Buttons} */
const buttons = {
  get pressed() {
    return native("xs_buttons_pressed").call(this);
  },
  holdBack() {
    native("xs_buttons_hold_back").call(this);
  },
  press(bits, isOwner) {
    native("xs_buttons_press").call(this, bits, isOwner);
  },
};

export default Object.freeze(buttons);
