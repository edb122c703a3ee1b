/**
 * Keeps long work from blocking the process. Work that awaits only what is ready, such as the statements of an SQLite
 * transaction, otherwise runs to its end before any socket or timer is served.
 */

/** Longest time for which work may hold the event loop, unless a single step of it takes longer. */
const TURN_LIMIT_MS = 3;

/** When the present turn of the loop began, as far as this module has seen; `undefined` before its first call in a turn. */
let turnBeganAt: number | undefined;

const endTurn = () => {
  turnBeganAt = undefined;
};

/**
 * Call it between the steps of long work, and await what it returns.
 * @returns `undefined` while this turn of the loop is short; else a promise that resolves in the next turn
 */
export function yieldIfLong(): Promise<void> | undefined {
  if (turnBeganAt === undefined) {
    turnBeganAt = performance.now();
    setImmediate(endTurn);
    return undefined;
  }
  if (performance.now() - turnBeganAt < TURN_LIMIT_MS) return undefined;
  return new Promise((resolve) => setImmediate(resolve));
}
