/** The entered commands and their output; the oldest are dropped. */

/** Both together keep the page light: a file of the console that is shown whole is 256 KiB at the most. */
export const SCROLLBACK_ENTRIES = 500;
export const SCROLLBACK_CHARACTERS = 1_000_000;

export interface ScrollbackEntry {
  readonly id: number;
  /** A line that was entered, what the console has printed, what went wrong, and what the page has to say. */
  readonly kind: "command" | "output" | "error" | "note";
  readonly text: string;
}

/** Without the end of the last line, which is the display's matter. */
export function added(
  entries: readonly ScrollbackEntry[],
  kind: ScrollbackEntry["kind"],
  text: string,
): ScrollbackEntry[] {
  const id = (entries.at(-1)?.id ?? 0) + 1;
  const all = [...entries, { id, kind, text: text.replace(/\n$/, "") }];
  let start = Math.max(0, all.length - SCROLLBACK_ENTRIES);
  let characters = all.slice(start).reduce((sum, entry) => sum + entry.text.length, 0);
  while (characters > SCROLLBACK_CHARACTERS && start < all.length - 1)
    characters -= all[start++]?.text.length ?? 0;
  return all.slice(start);
}

/** As it is copied: commands behind their prompt. */
export function textOf(entries: readonly ScrollbackEntry[]): string {
  return entries.map(({ kind, text }) => `${kind === "command" ? "> " : ""}${text}\n`).join("");
}
