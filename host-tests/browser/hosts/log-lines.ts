/** The log as it stands in the page. */
import type { Locator } from "playwright-core";

/** Every line that is in the log, those included that are scrolled out of sight; `undefined` where a run ends. */
export async function logLines(log: Locator): Promise<readonly (string | undefined)[]> {
  const lines = await log.evaluate((element) =>
    [...element.querySelectorAll(".log-line, .log-restart")].map((line) =>
      line.matches(".log-restart") ? null : `${line.textContent}`,
    ),
  );
  return lines.map((line) => line ?? undefined);
}

/**
 * Lines that are there more often than once in a run, or come after later ones: what was shown before is shown again. The
 * time is part of a line, and a line of another run may be the same.
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

/** In seconds. */
function timeOf(line: string): number {
  return Number.parseFloat(line);
}
