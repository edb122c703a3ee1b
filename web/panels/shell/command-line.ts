/** The command line of the Shell panel: history and completion of commands. */

/** Limit of the history: users do not remember older commands. */
export const HISTORY_LIMIT = 200;

export interface CommandHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** The entry in the prompt; `entries.length` means the draft. */
  readonly index: number;
  readonly draft: string;
}

/** @param kept value stored by an earlier visit; only strings of an array are used */
export function historyOf(kept: unknown): CommandHistory {
  const entries = Array.isArray(kept)
    ? kept.filter((entry) => typeof entry === "string").slice(-HISTORY_LIMIT)
    : [];
  return { entries, index: entries.length, draft: "" };
}

/** The history after `command` was entered; a repetition of the last command adds no entry. */
export function entered(history: CommandHistory, command: string): CommandHistory {
  const isNew = command !== "" && command !== history.entries.at(-1);
  return historyOf(isNew ? [...history.entries, command] : history.entries);
}

/**
 * Moves one entry back (-1) or forward (1); stays at either end.
 * @param line the text in the prompt; kept as the draft on the first step back
 */
export function moved(history: CommandHistory, step: 1 | -1, line: string): CommandHistory {
  const { entries, index } = history;
  const draft = index === entries.length ? line : history.draft;
  return { entries, draft, index: Math.min(entries.length, Math.max(0, index + step)) };
}

/** The text that the prompt shows. */
export function lineOf({ entries, index, draft }: CommandHistory): string {
  return entries[index] ?? draft;
}

/** What a command's usage allows at one position. */
type Place =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "app" }
  | { readonly kind: "any" };
export type Usage = readonly Place[];

export interface Completion {
  /** The line, completed as far as it is unambiguous. */
  readonly line: string;
  /** The words that can follow, if there is more than one. */
  readonly choices: readonly string[];
}

/** @param help output of `help`; each line is a usage, at least two spaces, and a summary */
export function usagesOf(help: string): Usage[] {
  return help
    .split("\n")
    .map((line) => line.split(/\s{2,}/)[0] ?? "")
    .filter((usage) => /^[a-z]/.test(usage))
    .map((usage) => usage.split(" ").map(placeOf));
}

function placeOf(word: string): Place {
  const inner = word.replace(/^\[(.*)\]$/, "$1");
  if (inner === "NAME") return { kind: "app" };
  if (/[^a-z|-]/.test(inner)) return { kind: "any" };
  return { kind: "words", words: inner.split("|") };
}

/** @param apps names that replace `NAME` in a usage */
export function complete(line: string, usages: readonly Usage[], apps: readonly string[]): Completion {
  const words = line.trimStart().split(/ +/);
  const begun = words.pop() ?? "";
  const fitting = usages.filter((usage) => words.every((word, index) => fits(usage[index], word)));
  const next = new Set(fitting.flatMap((usage) => wordsAt(usage[words.length], apps)));
  const choices = [...next].filter((word) => word.startsWith(begun)).sort();
  const head = line.slice(0, line.length - begun.length);
  if (choices.length === 1) return { line: `${head}${choices[0]} `, choices: [] };
  return { line: head + (choices.length > 1 ? commonStart(choices) : begun), choices };
}

function fits(place: Place | undefined, word: string): boolean {
  return place !== undefined && (place.kind !== "words" || place.words.includes(word));
}

function wordsAt(place: Place | undefined, apps: readonly string[]): readonly string[] {
  if (place?.kind === "words") return place.words;
  return place?.kind === "app" ? apps : [];
}

function commonStart(words: readonly string[]): string {
  const [first = "", ...others] = words;
  let length = first.length;
  while (!others.every((word) => word.startsWith(first.slice(0, length)))) length -= 1;
  return first.slice(0, length);
}
