/**
 * What each step took, as the meters tell it (boards/rv32/kernel/meters.h): a line of JSON for each. The board is played the
 * session twice. Instructions are counted where the collector runs as it does on a board; what has to be kept is known
 * where it runs all the time, since what it leaves is that.
 */
import type { Step } from "./script.js";

export interface StepFigures {
  readonly step: string;
  /** How often it was done. */
  readonly count: number;
  /** Of all of that. */
  readonly instructions: number;
  /** Bytes of the arena that hold something at the end, and of these: */
  readonly live: number;
  readonly slots: number;
  readonly chunks: number;
  /** Bytes of XS's stack that were used, at most. */
  readonly stack: number;
  /** Bytes of the arena that were needed at a time, at most; 0 unless it collected. Of these: */
  readonly peak: number;
  readonly peakSlots: number;
  readonly peakChunks: number;
  /** Bytes, at most. */
  readonly cStack: number;
  /** Bytes that malloc() had given away, at most. */
  readonly heap: number;
}
/** Both runs, and what they are told for: `instructions` are those of all `units`. */
export interface BoardStep {
  readonly step: string;
  readonly unit: string;
  readonly units: number;
  /** Of the module that it is about. */
  readonly bytes?: number;
  readonly instructions: number;
  /** Bytes of the arena at a time, at most; of these: */
  readonly needed: number;
  readonly slots: number;
  readonly chunks: number;
  /** Bytes of XS's stack that were used, at most. */
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

/** From power on to ready: measured before the script begins. */
const BOOT = Object.freeze({ name: "boot", count: 1, unit: "boot", units: 1 });

/** @throws {Error} for a line that does not tell all of it */
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

/** @returns `undefined` for what is no JSON */
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
 * @param plain of the run whose instructions count
 * @param watched of the one that collects all the time
 * @throws {Error} where either run told of other steps than these
 */
export function mergeFigures(
  steps: readonly Step[],
  plain: readonly StepFigures[],
  watched: readonly StepFigures[],
): BoardStep[] {
  const played = [BOOT, ...steps];
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
      ...{ instructions, ...arena, cStack, heap },
    };
  });
}

/** What does nothing does not collect: then it is what is there at the end. */
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

/** What is held against a budget, for a table or a test. */
export function stepOf({ steps }: BoardFigures, name: string): BoardStep {
  const step = steps.find((candidate) => candidate.step === name);
  if (!step) throw new Error(`There are no figures of a step "${name}"`);
  return step;
}
