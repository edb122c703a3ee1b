/** The categories of apps: a fixed table, so that a store has few and each hub has the same ones. */

export const CATEGORIES = Object.freeze({
  games: "Games",
  puzzles: "Puzzles",
  music: "Music and sound",
  art: "Drawing and pictures",
  learning: "Learning",
  science: "Measuring and science",
  time: "Clocks and calendars",
  tools: "Tools",
  internet: "Internet",
  demos: "Demos",
} as const);

export type Category = keyof typeof CATEGORIES;

export const CATEGORY_NAMES = Object.freeze(Object.keys(CATEGORIES) as readonly Category[]);

/** @returns `undefined` for a text that names no category */
export function categoryOf(name: string | null | undefined): Category | undefined {
  return CATEGORY_NAMES.find((category) => category === name);
}
