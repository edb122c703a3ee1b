/**
 * The cost of each step, from the meters (boards/rv32/kernel/meters.h): a line of JSON for each. The session is played
 * to the board twice: instructions are counted with the collector running as on a board; required memory is measured
 * with the collector running all the time, since what it leaves is required.
 */
import type { Step } from "./script.js";

export interface StepFigures {
  readonly step: string;
  /** Number of repetitions. */
  readonly count: number;
  /** Of all repetitions. */
  readonly instructions: number;
  /** Bytes of the arena in use at the end; of these: */
  readonly live: number;
  readonly slots: number;
  readonly chunks: number;
  /** Maximum of XS's stack, in bytes. */
  readonly stack: number;
  /** Maximum of needed bytes of the arena; 0 unless it collected. Of these: */
  readonly peak: number;
  readonly peakSlots: number;
  readonly peakChunks: number;
  /** Maximum, in bytes. */
  readonly cStack: number;
  /** Maximum of bytes allocated by malloc(). */
  readonly heap: number;
}
/** Both runs, and the unit of the report: `instructions` are those of all `units`. */
export interface BoardStep {
  readonly step: string;
  readonly unit: string;
  readonly units: number;
  /** Length of the step's module. */
  readonly bytes?: number;
  readonly instructions: number;
  /** Maximum of needed bytes of the arena; of these: */
  readonly needed: number;
  readonly slots: number;
  readonly chunks: number;
  /** Maximum of XS's stack, in bytes. */
  readonly stack: number;
  readonly cStack: number;
  readonly heap: number;
}
/** Bytes, by part. */
export type Flash = Readonly<Record<string, number>>;
export type BoardFigures = { readonly flash: Flash; readonly steps: readonly BoardStep[] };

const MEMBERS = Object.freeze([
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
] as const);

/** From power on to ready, measured before the script starts: until there is a picture, and from the machine on. */
const STARTS = Object.freeze([
  { name: "first-picture", count: 1, unit: "boot", units: 1 },
  { name: "boot", count: 1, unit: "boot", units: 1 },
]);

/** @throws {Error} for an incomplete line */
export function readFigures(text: string): StepFigures[] {
  return text.trimEnd().split("\n").map(readLine);
}

function readLine(line: string): StepFigures {
  const figures = parse(line);
  const missing = MEMBERS.find((name) => !isFigure(figures?.[name]));
  if (missing !== undefined || typeof figures?.step !== "string")
    throw new Error(`Cannot read the figures "${line}": there is no ${missing ?? "step"}`);
  return figures as StepFigures;
}

/** @returns `undefined` for invalid JSON */
function parse(line: string): Partial<StepFigures> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isFigure(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/**
 * @param steps that were played
 * @param plain figures of the run whose instructions count
 * @param watched figures of the run that collects all the time
 * @throws {Error} if a run reported other steps than these
 */
export function mergeFigures(
  steps: readonly Step[],
  plain: readonly StepFigures[],
  watched: readonly StepFigures[],
): BoardStep[] {
  const played = [...STARTS, ...steps];
  requireSteps(played, plain);
  requireSteps(played, watched);
  if (!watched.some(({ peak }) => peak > 0))
    throw new Error(
      "Cannot use the figures of a run that was to collect all the time, and has never collected",
    );
  return played.map(({ name, count, unit, units, ...step }, index) => {
    const { instructions, cStack, heap } = plain[index] as StepFigures;
    const arena = neededArena(watched[index] as StepFigures);
    return {
      step: name,
      unit,
      units: count * units,
      ...("bytes" in step ? { bytes: step.bytes } : {}),
      instructions,
      ...arena,
      cStack,
      heap,
    };
  });
}

/** A step that does nothing does not collect: then the memory in use at the end counts. */
function neededArena({ live, slots, chunks, stack, peak, peakSlots, peakChunks }: StepFigures) {
  if (peak < live) return { needed: live, slots, chunks, stack };
  return { needed: peak, slots: peakSlots, chunks: peakChunks, stack };
}

function requireSteps(
  played: readonly Pick<Step, "name" | "count">[],
  figures: readonly StepFigures[],
): void {
  const wanted = played.map(({ name, count }) => `${name} ${count}`);
  const reported = figures.map(({ step, count }) => `${step} ${count}`);
  if (wanted.join() !== reported.join())
    throw new Error(`Cannot use figures of ${reported.join(", ")}: what was played is ${wanted.join(", ")}`);
}

/** The step with a budget, for a table or a test. */
export function stepOf({ steps }: BoardFigures, name: string): BoardStep {
  const step = steps.find((candidate) => candidate.step === name);
  if (!step) throw new Error(`There are no figures of a step "${name}"`);
  return step;
}
