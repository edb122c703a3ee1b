/** Cuts power at every operation of an action in turn, and looks at what is left each time. */
import { EmulatedStorage } from "./emulated-storage.js";

export interface PowerSweep {
  /** The state before, which no power cut touches. */
  prepare?(storage: EmulatedStorage): void | Promise<void>;
  /** What power is cut in the midst of. */
  act(storage: EmulatedStorage): void | Promise<void>;
  /** Throws unless the storage, restarted, is as it may be. `isDone` tells that nothing was cut. */
  check(storage: EmulatedStorage, isDone: boolean): void | Promise<void>;
}

/** What is lost differs from seed to seed, so that one run an operation would leave most losses untried. */
const SEEDS_PER_OPERATION = 8;

/** @returns how many operations the action has; each was cut {@link SEEDS_PER_OPERATION} times */
export async function sweepPowerCuts(sweep: PowerSweep): Promise<number> {
  const operations = await runOnce(sweep, undefined);
  for (let operation = 1; operation <= operations; operation++)
    for (let seed = 1; seed <= SEEDS_PER_OPERATION; seed++) await runOnce(sweep, { operation, seed });
  return operations;
}

interface Cut {
  readonly operation: number;
  readonly seed: number;
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

function describe(cut: Cut | undefined): string {
  return cut ? `at operation ${cut.operation}, seed ${cut.seed}` : "nowhere";
}
