/** Cuts power at every operation of an action in turn, and checks the remaining state each time. */
import { EmulatedStorage } from "./emulated-storage.js";

export interface PowerSweep {
  /** Creates the state before the action, without a power cut. */
  prepare?(storage: EmulatedStorage): void | Promise<void>;
  /** The action during which power is cut. */
  act(storage: EmulatedStorage): void | Promise<void>;
  /** Throws unless the restarted storage is in an allowed state. `isDone` is true if power was not cut. */
  check(storage: EmulatedStorage, isDone: boolean): void | Promise<void>;
}

/** The seed decides which unflushed data is lost, so each operation is cut with several seeds. */
const SEEDS_PER_OPERATION = 8;

/** @returns how many operations the action has; each was cut {@link SEEDS_PER_OPERATION} times */
export async function sweepPowerCuts(sweep: PowerSweep): Promise<number> {
  const operations = await runOnce(sweep, undefined);
  for (let operation = 1; operation <= operations; operation++)
    for (let seed = 1; seed <= SEEDS_PER_OPERATION; seed++) await runOnce(sweep, { operation, seed });
  return operations;
}

/** A life that goes on from moment to moment, each of which a power cut has left. */
export interface Life<Moment> {
  /** Goes on from `moment` to the end, or until the power cut; throws unless all is as it may be. */
  live(moment: Moment, cut?: Cut): Promise<Lived<Moment>>;
  /** The same for moments that nothing tells apart, and different for any others. */
  nameOf(moment: Moment): string;
}

export interface Lived<Moment> {
  /** Those that changed something. */
  readonly operations: number;
  /** What the power cut has left; `undefined` where none came. */
  readonly left: Moment | undefined;
}

/**
 * Cuts power at every operation from `beginning` on, then at every one of what follows that cut, and so on.
 *
 * @param seeds how many times each operation is cut: the first ones, those after one cut, …
 * @returns how many times power was cut; a moment that was left twice is gone on from once
 */
export async function sweepLife<Moment>(
  { live, nameOf }: Life<Moment>,
  beginning: Moment,
  seeds: readonly number[],
): Promise<number> {
  const known = new Set<string>();
  let cuts = 0;
  const goOn = async (moment: Moment, depth: number, before: readonly Cut[]): Promise<void> => {
    const name = `${depth} ${nameOf(moment)}`;
    if (known.has(name)) return;
    known.add(name);
    const { operations } = await blaming(before, live(moment));
    for (const cut of cutsOf(depth < seeds.length ? operations : 0, seeds[depth] ?? 0)) {
      const path = [...before, cut];
      const { left } = await blaming(path, live(moment, cut));
      if (!left) throw new Error(`Power was not cut ${describeAll(path)}`);
      cuts++;
      await goOn(left, depth + 1, path);
    }
  };
  await goOn(beginning, 0, []);
  return cuts;
}

/** When power goes. */
export interface Cut {
  /** 1 for the first one. */
  readonly operation: number;
  /** Decides what is lost of what was not safe. */
  readonly seed: number;
}

function* cutsOf(operations: number, seeds: number): Iterable<Cut> {
  for (let operation = 1; operation <= operations; operation++)
    for (let seed = 1; seed <= seeds; seed++) yield { operation, seed };
}

async function blaming<Result>(cuts: readonly Cut[], result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (cause) {
    throw new Error(`Left in a bad state by power cut ${describeAll(cuts)}`, { cause });
  }
}

async function runOnce(sweep: PowerSweep, cut: Cut | undefined): Promise<number> {
  const storage = new EmulatedStorage();
  await sweep.prepare?.(storage);
  const before = storage.operationCount;
  if (cut) storage.cutPowerAt(cut.operation, cut.seed);
  await actUntilCut(sweep, storage);
  if (storage.isOff !== Boolean(cut)) throw new Error(`Power was not cut ${describe(cut)}`);
  const operations = storage.operationCount - before;
  storage.restart();
  try {
    await sweep.check(storage, !cut);
  } catch (cause) {
    throw new Error(`Left in a bad state by power cut ${describe(cut)}`, { cause });
  }
  return operations;
}

/** Services may answer a failed write in their own way; what counts is that the power is off. */
async function actUntilCut(sweep: PowerSweep, storage: EmulatedStorage): Promise<void> {
  try {
    await sweep.act(storage);
  } catch (error) {
    if (!storage.isOff) throw error;
  }
}

function describeAll(cuts: readonly Cut[]): string {
  return cuts.length > 0 ? cuts.map(describe).join(", then ") : describe(undefined);
}

function describe(cut: Cut | undefined): string {
  return cut ? `at operation ${cut.operation}, seed ${cut.seed}` : "nowhere";
}
