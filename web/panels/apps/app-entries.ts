/** Sorts and filters the list of apps, and describes how an app's last run ended. */
import type { AppEntry, LastExit } from "../../../protocol/device/answers.js";
import { inNaturalOrder } from "../../format.js";
import type { TagTone } from "../../parts/facts.js";

/** Up to this many apps are shown without a filter. */
export const GLANCE_APPS = 8;

/** Running apps first; each group in natural order. */
export function orderedApps(apps: readonly AppEntry[]): AppEntry[] {
  const sorted = inNaturalOrder(apps);
  const isRunning = ({ state }: AppEntry) => state === "running";
  return [...sorted.filter(isRunning), ...sorted.filter((app) => !isRunning(app))];
}

/** The apps that have every word of `text` in their name, description or author. */
export function filteredApps(apps: readonly AppEntry[], text: string): AppEntry[] {
  const words = text.toLowerCase().split(/\s+/);
  return apps.filter(({ name, description, author }) => {
    const said = `${name} ${description} ${author}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
}

/** The state of an app for its tag (docs/spec/apps.md#front, #suspended). */
export function describeState({ state, foreground, suspended }: AppEntry): { text: string; tone: TagTone } {
  if (state === "stopped") return { text: "Stopped", tone: "quiet" };
  if (foreground) return { text: "In front", tone: "accent" };
  return suspended ? { text: "Suspended", tone: "warning" } : { text: "Running", tone: "good" };
}

interface DescribedExit {
  readonly text: string;
  /** Whether the run ended with an error. */
  readonly isFault: boolean;
}

export function describeExit({ reason, code, message }: LastExit): DescribedExit {
  const why = message === undefined ? "" : `: ${message}`;
  switch (reason) {
    case "exit":
      return { text: code ? `Ended with code ${code}` : "Ended by itself", isFault: Boolean(code) };
    case "stopped":
      return { text: "Was stopped", isFault: false };
    case "trap":
      return { text: `Crashed${why}`, isFault: true };
    case "quota":
      return { text: `Exceeded its quota${why}`, isFault: true };
    case "host_error":
      return { text: `Ended by a console error${why}`, isFault: true };
    default:
      return reason satisfies never;
  }
}

/**
 * Whether the exit is certain to be from an earlier run of the console: its time counts from the console's start, and
 * the record of an exit outlives a restart.
 */
export function isOfEarlierRun({ at_ms }: LastExit, uptimeMs: number): boolean {
  return at_ms > uptimeMs;
}
