/** Completes commands from the output of the console's `help`: `app start NAME   starts an app`. */

/** What may stand at one place of a command. */
type Place =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "app" }
  | { readonly kind: "any" };
export type Usage = readonly Place[];

export interface Completion {
  /** The line as far as it is certain; the same line where nothing is. */
  readonly line: string;
  /** What it may go on with, where that is more than one. */
  readonly choices: readonly string[];
}

/** @param help what the console prints: usage, two blanks or more, summary */
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

/** @param apps names that may stand where a usage says NAME */
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
