/** The budgets of a board, and its costs, computed from the figures of the steps. */
import { type BoardFigures, type BoardStep, stepOf } from "./figures.js";

interface Budget {
  readonly what: string;
  readonly unit: "bytes" | "instructions";
  readonly limit: number;
  readonly measure: (board: BoardFigures) => number;
}

const KIB = 1024;
/** The unit of modules whose cost is reported. */
const MODULE_PIECE_BYTES = 100;

/** The program's parts. The host's part differs on each board. */
const COUNTED_PARTS = Object.freeze(["engine", "interpreter", "libraries", "program", "sandbox"]);

export const BUDGETS: readonly Budget[] = Object.freeze([
  { what: "flash: engine, interpreter, libraries, program", unit: "bytes", limit: 900 * KIB, measure: flash },
  {
    what: "arena, idle with every service up",
    unit: "bytes",
    limit: 64 * KIB,
    measure: (board) => stepOf(board, "idle").needed,
  },
  {
    what: "arena, at the worst peak",
    unit: "bytes",
    limit: 96 * KIB,
    measure: (board) => worst(board).needed,
  },
  ...perUnit("a status request over HTTP", "status-http", 250_000),
  ...perUnit("a status request over USB", "status-usb", 250_000),
  ...perUnit("a chunk of 2048 bytes over USB", "upload-chunks", 300_000),
  { what: "one Ed25519 verify", unit: "instructions", limit: 40e6, measure: instructionsPerVerify },
  {
    what: `validating and preparing ${MODULE_PIECE_BYTES} bytes of a module`,
    unit: "instructions",
    limit: 25_000,
    measure: (board) => instructionsPerModuleByte(board) * MODULE_PIECE_BYTES,
  },
]);

function perUnit(what: string, step: string, limit: number): Budget[] {
  return [
    { what, unit: "instructions", limit, measure: (board) => instructionsPerUnit(stepOf(board, step)) },
  ];
}

export function instructionsPerUnit({ instructions, units }: BoardStep): number {
  return instructions / units;
}

/** The step that needs the most of the arena. */
export function worst({ steps }: BoardFigures): BoardStep {
  return steps.reduce((most, step) => (step.needed > most.needed ? step : most));
}

function flash({ flash: parts }: BoardFigures): number {
  return COUNTED_PARTS.reduce((total, part) => total + (parts[part] ?? 0), 0);
}

/** The additional cost of an install that is refused for its signature, compared with one without a signature. */
export function instructionsPerVerify(board: BoardFigures): number {
  return stepOf(board, "refuse-small").instructions - stepOf(board, "refuse-unsigned").instructions;
}

/**
 * The cost of an installation minus that of a refused one, of a large module minus that of a small one: the rest is
 * the cost of each further byte, including writing its prepared form.
 */
export function instructionsPerModuleByte(board: BoardFigures): number {
  const [small, large] = (["small", "large"] as const).map((size) => {
    const { bytes = 0, instructions } = stepOf(board, `install-${size}`);
    return { bytes, instructions: instructions - stepOf(board, `refuse-${size}`).instructions };
  });
  if (!small || !large) throw new Error("There are two modules");
  return (large.instructions - small.instructions) / (large.bytes - small.bytes);
}
