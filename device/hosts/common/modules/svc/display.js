/** `svc/display`: the shown picture. */

/** @implements {Port} @typedef {import("../../../../ports/display.js").Snapshot} Port */
class Snapshot extends Native("xs_display_snapshot_destructor") {
  /** @param {boolean} isOwner */
  constructor(isOwner) {
    super();
    native("xs_display_snapshot_constructor").call(this, isOwner);
  }
  /** @param {number} y @param {Uint8Array} into */
  readRow(y, into) {
    native("xs_display_snapshot_read_row").call(this, y, into);
  }
  /** @param {number} y @param {Uint8Array} into */
  readRgbRow(y, into) {
    native("xs_display_snapshot_read_rgb_row").call(this, y, into);
  }
  close() {
    native("xs_display_snapshot_close").call(this);
  }
}

/** @type {import("../../../../ports/display.js").Display} */
const display = {
  showNothing() {
    native("xs_display_show_nothing").call(this);
  },
  get width() {
    return native("xs_display_width").call(this);
  },
  get height() {
    return native("xs_display_height").call(this);
  },
  /** @param {number} percent */
  setBrightness(percent) {
    native("xs_display_set_brightness").call(this, percent);
  },
  /** @param {number} count */
  keepPictures(count) {
    native("xs_display_keep_pictures").call(this, count);
  },
  /** @param {boolean} isOwner */
  snapshot(isOwner) {
    return new Snapshot(isOwner);
  },
};

export default Object.freeze(display);
