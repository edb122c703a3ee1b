/** Natural sort order of names: `game-2` before `game-10`, ignoring case. */

const COLLATOR = new Intl.Collator(undefined, { numeric: true });

export function inNaturalOrder<Named extends { readonly name: string }>(items: readonly Named[]): Named[] {
  return [...items].sort((one, other) => COLLATOR.compare(one.name, other.name));
}
