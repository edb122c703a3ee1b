/** The state that a console shows, and the state that it must show if a belief is true. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { EmulatedStorage } from "../hosts/emulated-storage.js";
import { linesOf } from "../unit/services/apps/emulated-apps.js";
import type { Run } from "../unit/services/firmware/emulated-update.js";
import { type Belief, runningIn } from "./belief.js";
import { imageFor, KEYS } from "./firmware.js";
import { keptIn } from "./kept-state.js";

const KEYS_FILE = "trusted_keys.pem";
const STATES = Object.freeze({ settled: "idle", staged: "staged", trial: "pending_confirm" });

/** Returns true if the boot loader started exactly the image of the belief. */
export function isStarted(belief: Belief, { bootLoader }: EmulatedStorage): boolean {
  return Buffer.compare(bootLoader.content(bootLoader.running), imageFor(runningIn(belief))) === 0;
}

/** Returns true if the log of this run reports a failed update. */
export function tellsOfFailure({ log }: Run): boolean {
  return linesOf(log).some((line) => line.startsWith("E ota: the update failed: "));
}

/**
 * Returns the beliefs that match the console's state.
 * @throws {AssertionError} if none matches
 */
export function borneOut(beliefs: readonly Belief[], run: Run): readonly Belief[] {
  const seen = viewOf(run);
  const left = beliefs.filter((belief) => isDeepStrictEqual(seen, expectedView(belief)));
  if (left.length === 0) assert.deepEqual(seen, beliefs.map(expectedView), "the console is something else");
  return left;
}

/** Requires that the trusted keys in the file are exactly those of one of the beliefs. */
export function checkKeys(beliefs: readonly Belief[], storage: EmulatedStorage): void {
  const found = textsIn(storage)[KEYS_FILE];
  const isBelieved = ({ keys, formerKeys = keys }: Belief) =>
    [keys, formerKeys].some((name) => found === (name === "none" ? undefined : KEYS[name]));
  assert.ok(beliefs.some(isBelieved), `the file of trusted keys is ${JSON.stringify(found)}`);
}

function viewOf({ ota, storage }: Run) {
  const { state, running_version, staged_version, last_result } = ota.status();
  const { message, ...last } = last_result ?? {};
  const hasSentence = message !== undefined && message.length > 0;
  return { state, running_version, staged_version, last, hasSentence, files: textsIn(storage) };
}

function expectedView(belief: Belief): ReturnType<typeof viewOf> {
  const { keys, last, phase } = belief;
  return {
    state: STATES[phase],
    running_version: runningIn(belief).version,
    staged_version: phase === "staged" ? belief.candidate.version : undefined,
    last: last ?? {},
    hasSentence: last?.error !== undefined,
    files: { [KEYS_FILE]: KEYS[keys] },
  };
}

function textsIn(storage: EmulatedStorage): Record<string, string> {
  const texts = [...keptIn(storage).files].map(([name, content]) => [
    name,
    new TextDecoder().decode(content),
  ]);
  return Object.fromEntries(texts);
}
