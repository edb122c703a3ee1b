/** Times as users read them. */
import { formatDuration } from "../format.js";

const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

/** @param iso ISO 8601 */
export function timeText(iso: string): string {
  return FORMAT.format(new Date(iso));
}

/** `3 min 07 s ago` @param iso ISO 8601; null for never */
export function agoText(iso: string | null, now = Date.now()): string {
  return iso === null ? "never" : `${formatDuration(Math.max(0, now - Date.parse(iso)))} ago`;
}
