/** A question that is asked until it is answered: after 1 s, 2 s, 4 s … up to an hour (RFC 6762 §5.2). */
import { type DomainName, sameName } from "./domain-name.js";
import { QUERY_INTERVAL_LIMIT_MS, QUERY_INTERVAL_MS } from "./limits.js";

export interface Question {
  readonly name: DomainName;
  readonly type: number;
}

export interface OpenQuestion extends Question {
  readonly dueMs: number;
  /** From `dueMs` to the time after it. */
  readonly intervalMs: number;
}

/** A question to be asked first at `atMs`. */
export function openQuestion({ name, type }: Question, atMs: number): OpenQuestion {
  return { name, type, dueMs: atMs, intervalMs: QUERY_INTERVAL_MS };
}

/** The question once it has been asked. */
export function asked(question: OpenQuestion, nowMs: number): OpenQuestion {
  const { name, type, intervalMs } = question;
  return {
    name,
    type,
    dueMs: nowMs + intervalMs,
    intervalMs: Math.min(intervalMs * 2, QUERY_INTERVAL_LIMIT_MS),
  };
}

export function sameQuestion(one: Question, other: Question): boolean {
  return one.type === other.type && sameName(one.name, other.name);
}
