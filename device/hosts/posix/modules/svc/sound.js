/** `svc/sound`: what the simulated loudspeaker has played. */

/** @implements {Port} @typedef {import("../../../../ports/sound.js").PlayedSound} Port */
class PlayedSound extends Native("xs_played_sound_destructor") {
  /** @param {number} since */
  constructor(since) {
    super();
    native("xs_played_sound_constructor").call(this, since);
  }
  get start() {
    return native("xs_played_sound_start").call(this);
  }
  get byteLength() {
    return native("xs_played_sound_byte_length").call(this);
  }
  get rate() {
    return native("xs_played_sound_rate").call(this);
  }
  /** @param {Uint8Array} into @param {number} offset */
  read(into, offset) {
    return native("xs_played_sound_read").call(this, into, offset);
  }
  close() {
    native("xs_played_sound_close").call(this);
  }
}

/** @type {import("../../../../ports/sound.js").Sound} */
const sound = {
  isKept: true,
  /** @param {number} since */
  played(since) {
    return new PlayedSound(since);
  },
};

export default Object.freeze(sound);
