/** Filters and sorts the list of apps. */
import type { AppEntry } from "../../../protocol/device/answers.js";
import { inNaturalOrder } from "../../natural-order.js";

/** Up to so many are seen at a glance. */
export const GLANCE_APPS = 8;

/** Those that run first. */
export function orderedApps(apps: readonly AppEntry[]): AppEntry[] {
  const sorted = inNaturalOrder(apps);
  const isRunning = ({ state }: AppEntry) => state === "running";
  return [...sorted.filter(isRunning), ...sorted.filter((app) => !isRunning(app))];
}

/** Those that have every word of `text` in their name, description or author. */
export function filteredApps(apps: readonly AppEntry[], text: string): AppEntry[] {
  const words = text.toLowerCase().split(/\s+/);
  return apps.filter(({ name, description, author }) => {
    const said = `${name} ${description} ${author}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
}
