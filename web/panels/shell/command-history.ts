/** History of commands, for the arrow keys. The unfinished input stays at its end. */

/** Limit of the history: users do not remember older commands. */
export const HISTORY_LIMIT = 200;

export interface CommandHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** Which of them is shown; `entries.length`: the draft. */
  readonly index: number;
  readonly draft: string;
}

/** @param kept what was kept of an earlier visit, whatever that is */
export function historyOf(kept: unknown): CommandHistory {
  const entries = Array.isArray(kept)
    ? kept.filter((entry) => typeof entry === "string").slice(-HISTORY_LIMIT)
    : [];
  return { entries, index: entries.length, draft: "" };
}

/** After `command` was entered. The same one twice in a row is kept once. */
export function entered(history: CommandHistory, command: string): CommandHistory {
  const isNew = command !== "" && command !== history.entries.at(-1);
  return historyOf(isNew ? [...history.entries, command] : history.entries);
}

/**
 * One further back (-1) or forward (1); at either end it stays.
 * @param line what is in the prompt: kept as the draft when the way back begins
 */
export function moved(history: CommandHistory, step: 1 | -1, line: string): CommandHistory {
  const { entries, index } = history;
  const draft = index === entries.length ? line : history.draft;
  return { entries, draft, index: Math.min(entries.length, Math.max(0, index + step)) };
}

/** What the prompt shows. */
export function lineOf({ entries, index, draft }: CommandHistory): string {
  return entries[index] ?? draft;
}
