/** What a board is to pay at most, and what it pays, out of the figures of the steps. */
import { type BoardFigures, type BoardStep, stepOf } from "./figures.js";

interface Budget {
  readonly what: string;
  readonly unit: "bytes" | "instructions";
  readonly limit: number;
  readonly measure: (board: BoardFigures) => number;
}

const KIB = 1024;
/** Of a module, for which a price is told. */
const MODULE_PIECE_BYTES = 100;

/** What is the program's. The host's own part is another one on each board. */
const COUNTED_PARTS = Object.freeze(["engine", "interpreter", "libraries", "program"]);

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

/** What an install that is refused for its signature takes beyond one that has none. */
export function instructionsPerVerify(board: BoardFigures): number {
  return stepOf(board, "refuse-small").instructions - stepOf(board, "refuse-unsigned").instructions;
}

/**
 * What installing a module takes that refusing it for its signature does not, of a large one beyond a small one: what
 * is left is what each further byte takes, with the writing of what it was prepared to.
 */
export function instructionsPerModuleByte(board: BoardFigures): number {
  const [small, large] = (["small", "large"] as const).map((size) => {
    const { bytes = 0, instructions } = stepOf(board, `install-${size}`);
    return { bytes, instructions: instructions - stepOf(board, `refuse-${size}`).instructions };
  });
  if (!small || !large) throw new Error("There are two modules");
  return (large.instructions - small.instructions) / (large.bytes - small.bytes);
}
