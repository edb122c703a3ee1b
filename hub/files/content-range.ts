/**
 * Decides what to send for a conditional or range request (RFC 9110 §13 and §14). Pure. ETags are strong, and each
 * names bytes that never change. There are no dates: a condition with a date is false.
 */

export interface Conditions {
  readonly "if-none-match"?: string | undefined;
  readonly "if-range"?: string | undefined;
  readonly range?: string | undefined;
}

export type Selection =
  | { readonly kind: "whole" }
  /** From `start` up to but not including `end`. */
  | { readonly kind: "part"; readonly start: number; readonly end: number }
  | { readonly kind: "unchanged" }
  | { readonly kind: "unsatisfiable" };

const WHOLE: Selection = Object.freeze({ kind: "whole" });
const UNCHANGED: Selection = Object.freeze({ kind: "unchanged" });
const UNSATISFIABLE: Selection = Object.freeze({ kind: "unsatisfiable" });

/** One range of bytes. Several are answered with all of them, as for what is no range (RFC 9110 §14.2). */
const RANGE = /^bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*$/i;
/** Beyond it a position is no exact number any more; no file is that long. */
const DIGITS_LIMIT = 15;

/**
 * @param etag with its quotes
 * @param sizeBytes at least 1
 */
export function selectContent(conditions: Conditions, etag: string, sizeBytes: number): Selection {
  const held = conditions["if-none-match"];
  if (held !== undefined && names(held, etag)) return UNCHANGED;
  const ifRange = conditions["if-range"];
  if (conditions.range === undefined || (ifRange !== undefined && ifRange.trim() !== etag)) return WHOLE;
  const match = RANGE.exec(conditions.range);
  const [, first = "", last = ""] = match ?? [];
  if (!match || (first === "" && last === "")) return WHOLE;
  return first === "" ? lastBytes(positionOf(last), sizeBytes) : bytesFrom(first, last, sizeBytes);
}

/** Whether a list of tags, weak ones too, has this one (RFC 9110 §13.1.2). */
function names(list: string, etag: string): boolean {
  return list.split(",").some((candidate) => {
    const tag = candidate.trim();
    return tag === "*" || tag === etag || tag === `W/${etag}`;
  });
}

function lastBytes(count: number, sizeBytes: number): Selection {
  if (count === 0) return UNSATISFIABLE;
  return { kind: "part", start: Math.max(0, sizeBytes - count), end: sizeBytes };
}

function bytesFrom(first: string, last: string, sizeBytes: number): Selection {
  const start = positionOf(first);
  const final = last === "" ? sizeBytes - 1 : positionOf(last);
  if (final < start && last !== "") return WHOLE; // no range at all
  if (start >= sizeBytes) return UNSATISFIABLE;
  return { kind: "part", start, end: Math.min(final + 1, sizeBytes) };
}

function positionOf(digits: string): number {
  return digits.length > DIGITS_LIMIT ? Number.MAX_SAFE_INTEGER : Number(digits);
}
