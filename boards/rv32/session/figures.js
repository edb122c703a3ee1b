/**
 * What each step took, as the meters tell it (boards/rv32/kernel/meters.h): a line of JSON for each. The board is played the
 * session twice. Instructions are counted where the collector runs as it does on a board; what has to be kept is known
 * where it runs all the time, since what it leaves is that.
 */

/** @typedef {import("./script.js").Step} Step */
/**
 * @typedef {object} StepFigures
 * @property {string} step
 * @property {number} count how often it was done
 * @property {number} instructions of all of that
 * @property {number} live bytes of the arena that hold something at the end, and of these:
 * @property {number} slots
 * @property {number} chunks
 * @property {number} stack bytes of XS's stack that were used, at most
 * @property {number} peak bytes of the arena that were needed at a time, at most; 0 unless it collected. Of these:
 * @property {number} peakSlots
 * @property {number} peakChunks
 * @property {number} cStack bytes, at most
 * @property {number} heap bytes that malloc() had given away, at most
 */
/**
 * Both runs, and what they are told for: `instructions` are those of all `units`.
 *
 * @typedef {object} BoardStep
 * @property {string} step
 * @property {string} unit
 * @property {number} units
 * @property {number} [bytes] of the module that it is about
 * @property {number} instructions
 * @property {number} needed bytes of the arena at a time, at most; of these:
 * @property {number} slots
 * @property {number} chunks
 * @property {number} stack bytes of XS's stack that were used, at most
 * @property {number} cStack
 * @property {number} heap

 */
/** Bytes, by part. @typedef {Readonly<Record<string, number>>} Flash */
/** @typedef {{ readonly flash: Flash, readonly steps: readonly BoardStep[] }} BoardFigures */

const MEMBERS = Object.freeze(
  /** @type {const} */ ([
    "count",
    "instructions",
    "live",
    "slots",
    "chunks",
    "stack",
    "peak",
    "peakSlots",
    "peakChunks",
    "cStack",
    "heap",
  ]),
);

/** From power on to ready: measured before the script begins. */
const BOOT = Object.freeze({ name: "boot", count: 1, unit: "boot", units: 1 });

/** @param {string} text @returns {StepFigures[]} @throws {Error} for a line that does not tell all of it */
export function readFigures(text) {
  return text.trimEnd().split("\n").map(readLine);
}

/** @param {string} line @returns {StepFigures} */
function readLine(line) {
  const figures = parse(line);
  const missing = MEMBERS.find((name) => !isFigure(figures?.[name]));
  if (missing !== undefined || typeof figures.step !== "string")
    throw new Error(`Cannot read the figures "${line}": there is no ${missing ?? "step"}`);
  return figures;
}

/** @param {string} line @returns {any} or nothing */
function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** @param {unknown} value */
function isFigure(value) {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/**
 * @param {readonly Step[]} steps that were played
 * @param {readonly StepFigures[]} plain of the run whose instructions count
 * @param {readonly StepFigures[]} watched of the one that collects all the time
 * @returns {BoardStep[]}
 * @throws {Error} where either run told of other steps than these
 */
export function mergeFigures(steps, plain, watched) {
  const played = [BOOT, ...steps];
  requireSteps(played, plain);
  requireSteps(played, watched);
  if (!watched.some(({ peak }) => peak > 0))
    throw new Error(
      "Cannot use the figures of a run that was to collect all the time, and has never collected",
    );
  return played.map(({ name, count, unit, units, ...step }, index) => {
    const { instructions, cStack, heap } = /** @type {StepFigures} */ (plain[index]);
    const arena = neededArena(/** @type {StepFigures} */ (watched[index]));
    return {
      step: name,
      unit,
      units: count * units,
      ...("bytes" in step ? { bytes: step.bytes } : {}),
      ...{ instructions, ...arena, cStack, heap },
    };
  });
}

/** What does nothing does not collect: then it is what is there at the end. @param {StepFigures} figures */
function neededArena({ live, slots, chunks, stack, peak, peakSlots, peakChunks }) {
  if (peak < live) return { needed: live, slots, chunks, stack };
  return { needed: peak, slots: peakSlots, chunks: peakChunks, stack };
}

/** @param {readonly Pick<Step, "name" | "count">[]} played @param {readonly StepFigures[]} figures */
function requireSteps(played, figures) {
  const wanted = played.map(({ name, count }) => `${name} ${count}`);
  const told = figures.map(({ step, count }) => `${step} ${count}`);
  if (wanted.join() !== told.join())
    throw new Error(`Cannot use figures of ${told.join(", ")}: what was played is ${wanted.join(", ")}`);
}

/**
 * What is held against a budget, for a table or a test.
 *
 * @param {BoardFigures} board
 * @param {string} name
 * @returns {BoardStep}
 */
export function stepOf({ steps }, name) {
  const step = steps.find((candidate) => candidate.step === name);
  if (!step) throw new Error(`There are no figures of a step "${name}"`);
  return step;
}
