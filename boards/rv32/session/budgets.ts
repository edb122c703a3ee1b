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
  {
    what: "flash: engine, interpreter, libraries, program, sandbox",
    unit: "bytes",
    limit: 1296 * KIB,
    measure: flash,
  },
  {
    what: "arena, idle with every service up",
    unit: "bytes",
    limit: 47.1 * KIB,
    measure: (board) => stepOf(board, "idle").needed,
  },
  {
    what: "arena, at the worst peak",
    unit: "bytes",
    limit: 78 * KIB,
    measure: (board) => worst(board).needed,
  },
  ...perUnit("the first picture after power on", "first-picture", 1_000_000),
  ...perUnit("boot, without checking the signature of a slot", "boot", 5_000_000),
  ...perUnit("a status request over HTTP, of four clients by turns", "status-http-in-turn", 200_000),
  ...perUnit("a status request over USB", "status-usb", 170_000),
  ...perUnit("a chunk of 2048 bytes over USB", "upload-chunks", 540_000),
  ...perUnit("install of the example bricks, a module over HTTP", "install-large", 12_500_000),
  {
    what: "a move of the home screen's cursor",
    unit: "instructions",
    limit: 400_000,
    measure: instructionsPerCursorMove,
  },
  { what: "one Ed25519 verify", unit: "instructions", limit: 40e6, measure: instructionsPerVerify },
  {
    what: `${MODULE_PIECE_BYTES} more bytes of a module in an install`,
    unit: "instructions",
    limit: 25_000,
    measure: (board) => instructionsPerModuleByte(board) * MODULE_PIECE_BYTES,
  },
]);

/** What a move of the cursor costs beyond the requests that press the button. */
function instructionsPerCursorMove(board: BoardFigures): number {
  const [still, cursor] = [stepOf(board, "home-still"), stepOf(board, "home-cursor")];
  return (cursor.instructions - still.instructions) / cursor.units;
}

function perUnit(what: string, step: string, limit: number): Budget[] {
  return [
    { what, unit: "instructions", limit, measure: (board) => instructionsPerUnit(stepOf(board, step)) },
  ];
}

export function instructionsPerUnit({ instructions, units }: BoardStep): number {
  return instructions / units;
}

/** The step that needs the most of the arena. */
function worst({ steps }: BoardFigures): BoardStep {
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
    const install = stepOf(board, `install-${size}`);
    const instructions = instructionsPerUnit(install) - instructionsPerUnit(stepOf(board, `refuse-${size}`));
    return { bytes: install.bytes ?? 0, instructions };
  });
  if (!small || !large) throw new Error("There are two modules");
  return (large.instructions - small.instructions) / (large.bytes - small.bytes);
}
