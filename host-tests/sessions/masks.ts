/**
 * What may differ between two consoles that give the same answers, and why. Nothing else is left out of a comparison:
 * a console whose answers differ elsewhere answers differently.
 */

export interface Mask {
  readonly reason: string;
  /** Global. */
  readonly pattern: RegExp;
  /** What stands in its place, as for `String.prototype.replace`. */
  readonly shown: string;
}

const measured = (names: string) => new RegExp(`("(?:${names})":)-?[0-9]+`, "g");

export const MASKS: readonly Mask[] = [
  {
    reason: "time since the console was started",
    pattern: measured("uptime_ms|at_ms"),
    shown: "$1<time>",
  },
  {
    reason: "time since the console was started, of a line of the log",
    pattern: /(^|")[0-9]+\.[0-9]{3} (?=[DIWE] )/gm,
    shown: "$1<time> ",
  },
  {
    reason: "memory of a machine whose slots and pointers have another size",
    pattern: measured("free_heap_bytes|minimum_free_bytes"),
    shown: "$1<bytes>",
  },
  {
    reason: "memory of a machine whose slots and pointers have another size, and all of it",
    pattern: /("(?:heap|psram)":\{"total_bytes":)[0-9]+(,"free_bytes":)[0-9]+/g,
    shown: "$1<bytes>$2<bytes>",
  },
  {
    reason: "processor, of any maker, and how busy it is",
    pattern: /("cpu":\{)[^}]*/g,
    shown: "$1<processor>",
  },
  {
    reason: "board that the firmware is for",
    pattern: /("board":")[a-z-]+/g,
    shown: "$1<board>",
  },
  {
    reason: "features of the hardware",
    pattern: /(?<="features":\[[^\]]*)(?:,"(?:sd|usb_drive|tls|setup_ap|sound|bluetooth)")+(?=\])/g,
    shown: "",
  },
  {
    reason: "keys that were made for the session",
    pattern: /(; trusted: \\*"|trusted keys: \\*"|"publisher":")[0-9a-f]{16}/g,
    shown: "$1<key>",
  },
  {
    reason: "ports that were free",
    pattern: /(is ready: )[^"\n␊]*/g,
    shown: "$1<ports>",
  },
  {
    reason: "ports that were free",
    pattern: measured("http_port|ws_port"),
    shown: "$1<port>",
  },
  {
    reason: "random bytes",
    pattern: /("token":")[A-Za-z0-9_-]{43}/g,
    shown: "$1<random>",
  },
];

/** The text with everything in it that may differ replaced by what it is. */
export function masked(text: string): string {
  return MASKS.reduce((result, { pattern, shown }) => result.replace(pattern, shown), text);
}
