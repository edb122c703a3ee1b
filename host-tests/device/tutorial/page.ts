/** The commands of a page, as they are printed, and what the page says that they print. */

export interface Step {
  /** `run` to its end, `terminal`: goes on in one of its own, `refused`: ends with status 1. */
  readonly kind: "run" | "terminal" | "refused" | "elsewhere";
  readonly commands: string;
  /** Lines that are printed in this order among others; `…` stands for anything. */
  readonly prints: readonly string[];
}

const KINDS: Readonly<Record<string, Step["kind"]>> = {
  sh: "run",
  "sh terminal": "terminal",
  "sh refused": "refused",
  "sh elsewhere": "elsewhere",
};
const BLOCK = /^```([^\n]*)\n(.*?)^```$/gms;

/** @throws {Error} for a block of another kind: it would be printed and not run */
export function readSteps(page: string): readonly Step[] {
  const steps: Step[] = [];
  let end = 0;
  for (const { index, 0: block, 1: kind = "", 2: text = "" } of page.matchAll(BLOCK)) {
    const last = steps.at(-1);
    const isNext = page.slice(end, index).trim() === "";
    if (kind === "text" && last && isNext) steps.push({ ...(steps.pop() as Step), prints: linesOf(text) });
    else steps.push({ kind: kindOf(kind), commands: text, prints: [] });
    end = index + block.length;
  }
  return steps;
}

function kindOf(kind: string): Step["kind"] {
  const known = KINDS[kind];
  if (known) return known;
  throw new Error(`The page has a block "${kind}" that is neither run nor what a command prints`);
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** The first of `expected` that is not among `lines` after those before it; `undefined` where all are. */
export function missingLine(expected: readonly string[], lines: readonly string[]): string | undefined {
  let at = 0;
  return expected.find((line) => {
    const pattern = patternOf(line);
    const offset = lines.slice(at).findIndex((candidate) => pattern.test(candidate));
    at += offset + 1;
    return offset < 0;
  });
}

function patternOf(line: string): RegExp {
  const parts = line.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}
