/** `svc/firmware-slots`: `DIR/slots/a` and `DIR/slots/b` of the state directory, and the boot record. */

/** @typedef {import("../../../../ports/firmware-slots.js").FirmwareSlots} FirmwareSlots */
/** @typedef {import("../../../../ports/firmware-slots.js").Updater} UpdaterPort */

/** @implements {UpdaterPort} */
class Updater extends Native("xs_updater_destructor") {
  constructor() {
    super();
    native("xs_updater_constructor").call(this);
  }
  /** @param {Uint8Array} bytes */
  write(bytes) {
    native("xs_updater_write").call(this, bytes);
  }
  isImage() {
    return native("xs_updater_is_image").call(this);
  }
  /** @param {import("../../../../ports/firmware-slots.js").BundleSignature} [signed] */
  complete(signed) {
    native("xs_updater_complete").call(this, signed?.signature, signed?.publicKey);
  }
  close() {
    native("xs_updater_close").call(this);
  }
}

/** @type {FirmwareSlots} */
const slots = {
  get running() {
    return native("xs_slots_running").call(this);
  },
  get capacityBytes() {
    return native("xs_slots_capacity").call(this);
  },
  record() {
    return native("xs_slots_record").call(this);
  },
  open() {
    return new Updater();
  },
  readOther(into, offset) {
    return native("xs_slots_read_other").call(this, into, offset);
  },
  confirm() {
    native("xs_slots_confirm").call(this);
  },
  revert() {
    native("xs_slots_revert").call(this);
  },
};

export default Object.freeze(slots);
