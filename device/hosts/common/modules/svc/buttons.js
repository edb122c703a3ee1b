/** `svc/buttons`: buttons that a remote client holds down. */

/** @type {import("../../../../ports/display.js").Buttons} */
const buttons = {
  press(bits) {
    native("xs_buttons_press").call(this, bits);
  },
};

export default Object.freeze(buttons);
