/** Compare what a board costs now with the recorded budget. */

/** @typedef {import("./figures.js").BoardFigures} BoardFigures */
/** A figure's name and its value. @typedef {ReadonlyMap<string, number>} Named */

/** What a change may move before it has to be accepted. */
const TOLERANCE = 0.03;

export const ACCEPTING =
  "To accept it: `npm run board:rv32 -- --update` and `npm run docs`, with the reason in the commit";

/**
 * @param {BoardFigures} recorded
 * @param {BoardFigures} measured
 * @returns {string[]} a line for each figure that has changed by more than 3 %, is new, or is gone
 */
export function differences(recorded, measured) {
  const before = namedFigures(recorded);
  const now = namedFigures(measured);
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].flatMap((name) => difference(name, before.get(name), now.get(name)));
}

/** @param {BoardFigures} board @returns {Named} */
function namedFigures({ flash, steps }) {
  const parts = Object.entries(flash).map(([part, bytes]) => [`flash, ${part}`, bytes]);
  const ofSteps = steps.flatMap(({ step, unit, ...figures }) =>
    Object.entries(figures).map(([name, value]) => [`${step}, ${name}`, value]),
  );
  return new Map(/** @type {[string, number][]} */ ([...parts, ...ofSteps]));
}

/** @param {string} name @param {number | undefined} before @param {number | undefined} now @returns {string[]} */
function difference(name, before, now) {
  if (before === undefined) return [`${name}: ${shown(now)}, and nothing is recorded`];
  if (now === undefined) return [`${name}: is gone, and ${shown(before)} is recorded`];
  if (Math.abs(now - before) <= TOLERANCE * before) return [];
  const change = before === 0 ? "" : ` (${signed((now / before - 1) * 100)} %)`;
  return [`${name}: ${shown(now)}, and ${shown(before)} is recorded${change}`];
}

/** @param {number | undefined} value */
function shown(value) {
  return (value ?? 0).toLocaleString("en-US");
}

/** @param {number} percent */
function signed(percent) {
  return `${percent > 0 ? "+" : ""}${percent.toFixed(1)}`;
}
