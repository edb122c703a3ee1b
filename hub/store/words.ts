/** Numbers and times as the store's pages show them. */

const KIB = 1024;

/** `840 bytes`, `12.5 KiB`, `3 MiB`. */
export function bytesText(bytes: number): string {
  if (bytes < KIB) return countText(bytes, "byte");
  const [value, unit] = bytes < KIB * KIB ? [bytes / KIB, "KiB"] : [bytes / KIB / KIB, "MiB"];
  return `${Number(value.toFixed(1))} ${unit}`;
}

/** `1 app`, `1,200 apps`. */
export function countText(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** `26 November 2026`, UTC. @param milliseconds since 1970 */
export function dayText(milliseconds: number): string {
  return new Date(milliseconds).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
}
