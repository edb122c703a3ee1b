/** Reads the log that the page shows. */
import type { Locator } from "playwright-core";

/** Returns all lines of the log, including those scrolled out of view; `undefined` marks the end of a run. */
export async function logLines(log: Locator): Promise<readonly (string | undefined)[]> {
  const lines = await log.evaluate((element) =>
    [...element.querySelectorAll(".log-line, .log-restart")].map((line) =>
      line.matches(".log-restart") ? null : `${line.textContent}`,
    ),
  );
  return lines.map((line) => line ?? undefined);
}

/**
 * Returns lines that occur twice in a run, or after a later line: the page showed earlier lines again. Times are part
 * of a line, and a line of another run can be equal.
 */
export function shownAgain(lines: readonly (string | undefined)[]): readonly string[] {
  const again: string[] = [];
  let run: string[] = [];
  for (const line of lines) {
    if (line === undefined) run = [];
    else if (run.includes(line) || timeOf(line) < timeOf(run.at(-1) ?? line)) again.push(line);
    if (line !== undefined) run.push(line);
  }
  return again;
}

/** Seconds since the start of the run. */
function timeOf(line: string): number {
  return Number.parseFloat(line);
}
