/** `svc/sound`: this board keeps nothing of what it plays. */

/** @type {import("../../../../ports/sound.js").Sound} */
const sound = {
  isKept: false,
  played() {
    throw new Error("nothing is kept");
  },
};

export default Object.freeze(sound);
