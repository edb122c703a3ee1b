/** Compares the costs of a board with the recorded budget. */
import type { BoardFigures } from "./figures.js";

/** A figure's name and its value. */
type Named = ReadonlyMap<string, number>;

/** A change beyond this must be accepted. */
const TOLERANCE = 0.03;

export const ACCEPTING =
  "To accept it: `npm run board:rv32 -- --update` and `npm run docs`, with the reason in the commit";

/** @returns a line for each figure that has changed by more than 3 %, is new, or is missing */
export function differences(recorded: BoardFigures, measured: BoardFigures): string[] {
  const before = namedFigures(recorded);
  const now = namedFigures(measured);
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].flatMap((name) => difference(name, before.get(name), now.get(name)));
}

function namedFigures({ flash, steps }: BoardFigures): Named {
  const parts = Object.entries(flash).map(([part, bytes]) => [`flash, ${part}`, bytes]);
  const ofSteps = steps.flatMap(({ step, unit, ...figures }) =>
    Object.entries(figures).map(([name, value]) => [`${step}, ${name}`, value]),
  );
  return new Map([...parts, ...ofSteps] as [string, number][]);
}

function difference(name: string, before: number | undefined, now: number | undefined): string[] {
  if (before === undefined) return [`${name}: ${shown(now)}, and nothing is recorded`];
  if (now === undefined) return [`${name}: is gone, and ${shown(before)} is recorded`];
  if (Math.abs(now - before) <= TOLERANCE * before) return [];
  const change = before === 0 ? "" : ` (${signed((now / before - 1) * 100)} %)`;
  return [`${name}: ${shown(now)}, and ${shown(before)} is recorded${change}`];
}

function shown(value: number | undefined): string {
  return (value ?? 0).toLocaleString("en-US");
}

function signed(percent: number): string {
  return `${percent > 0 ? "+" : ""}${percent.toFixed(1)}`;
}
