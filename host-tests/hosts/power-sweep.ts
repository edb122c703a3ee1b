/** Cuts power at every operation of an action in turn, and checks the resulting state each time. */
import { EmulatedStorage } from "./emulated-storage.js";

export interface PowerSweep {
  /** Creates the state before the action, without a power cut. */
  prepare?(storage: EmulatedStorage): void | Promise<void>;
  /** The action during which power is cut. */
  act(storage: EmulatedStorage): void | Promise<void>;
  /** Throws unless the restarted storage is in an allowed state. `isDone`: the action completed without a power cut. */
  check(storage: EmulatedStorage, isDone: boolean): void | Promise<void>;
}

/** The seed decides which unflushed data is lost, so each operation is cut with several seeds. */
const SEEDS_PER_OPERATION = 8;

/** Sweeps an action. @returns its number of operations; each was cut {@link SEEDS_PER_OPERATION} times */
export async function sweepPowerCuts(sweep: PowerSweep): Promise<number> {
  const operations = await runOnce(sweep, undefined);
  for (let operation = 1; operation <= operations; operation++)
    for (let seed = 1; seed <= SEEDS_PER_OPERATION; seed++) await runOnce(sweep, { operation, seed });
  return operations;
}

/** A device life that can resume from any state (`Moment`) that a power cut leaves. */
export interface Life<Moment> {
  /** Resumes at `moment` and runs to the end or to the power cut; throws if it finds an invalid state. */
  live(moment: Moment, cut?: Cut): Promise<Lived<Moment>>;
  /** Returns a key that is equal exactly for equivalent moments. */
  nameOf(moment: Moment): string;
}

export interface Lived<Moment> {
  /** Number of operations that changed something. */
  readonly operations: number;
  /** State after the power cut; `undefined` if there was none. */
  readonly left: Moment | undefined;
}

/**
 * Cuts power at every operation after `beginning`, then at every operation of each life that resumes after such a
 * cut, and so on.
 *
 * @param seeds number of seeds per operation at each depth: for first cuts, for cuts after one cut, …
 * @returns number of power cuts; a state reached twice at the same depth is resumed only once
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

/** A power cut. */
export interface Cut {
  /** Operation to cut, counted from 1. */
  readonly operation: number;
  /** Decides which unflushed data is lost. */
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

/**
 * Runs the action; tolerates any error once the power is off, since each service handles failed writes in its own
 * way.
 */
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
