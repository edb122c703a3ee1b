/** `svc/buttons`: which buttons are down, and those that a remote client holds down. */

/** @type {import("../../../../ports/display.js").Buttons} */
const buttons = {
  get pressed() {
    return native("xs_buttons_pressed").call(this);
  },
  get pressedByOwner() {
    return native("xs_buttons_pressed_by_owner").call(this);
  },
  holdBack(holdsAll) {
    native("xs_buttons_hold_back").call(this, holdsAll);
  },
  reserveChord(bits) {
    native("xs_buttons_reserve_chord").call(this, bits);
  },
  press(bits, isOwner) {
    native("xs_buttons_press").call(this, bits, isOwner);
  },
};

export default Object.freeze(buttons);
