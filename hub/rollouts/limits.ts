/** Limits of rollouts, with their reasons. */

/**
 * Devices that get commands in one transaction. It blocks other SQLite writers for its duration, some 50 ms for this
 * many, and a pause takes effect between two transactions.
 */
export const DEVICES_OF_TURN = 1000;

/** Whole percents would allow 100; no plan needs more than these (docs/spec/hub-rollouts.md#steps). */
export const STEPS_LIMIT = 20;

/** Results come in bursts: those within this time are processed together. */
export const GATHERING_MS = 50;

/** How long a rollout stands still, at most, whose results were seen by a process that ended at once. */
export const TICK_MS = 3000;

/**
 * Under way at once, of one account: each is counted by every process at each tick
 * (docs/spec/hub-rollouts.md#rollout-limit).
 */
export const ROLLOUTS_LIMIT = 100;

/** Named by their ids in one request: as many as an account is expected to hold (docs/spec/hub-rollouts.md#devices). */
export const NAMED_DEVICES_LIMIT = 10_000;

/** An id takes 39 bytes in JSON, and users indent. */
export const ROLLOUT_BODY_LIMIT_BYTES = 1024 * 1024;
