/** Writes and sends queries with their known answers (RFC 6762 §5.2, §7.1, §7.2). */
import { ANSWER } from "./dns-reader.js";
import { FLAG_TRUNCATED, FLAGS_QUERY, TYPE_PTR } from "./dns-types.js";
import type { DnsWriter } from "./dns-writer.js";
import { type Question, sameQuestion } from "./open-question.js";
import type { Outlet } from "./outlet.js";
import type { CachedRecord, RecordCache } from "./record-cache.js";
import type { ResourceRecord } from "./resource-record.js";

/** Asks all of `questions` in as few messages as they and what is known of their answers fit in. */
export function sendQuery(
  questions: readonly Question[],
  cache: RecordCache,
  nowMs: number,
  writer: DnsWriter,
  outlet: Outlet,
): void {
  let rest = withoutRepeats(questions);
  while (rest.length > 0) {
    writer.begin(0, FLAGS_QUERY);
    const count = writeQuestions(rest, writer);
    const known = rest.slice(0, count).flatMap((question) => knownAnswers(question, cache, nowMs));
    writeKnownAnswers(known, nowMs, writer, outlet);
    outlet.multicast(writer.message);
    rest = rest.slice(count);
  }
}

function withoutRepeats(questions: readonly Question[]): Question[] {
  return questions.filter(
    (question, index) => questions.findIndex((other) => sameQuestion(question, other)) === index,
  );
}

/** @returns how many fit; one always does, for a name has 255 bytes at most */
function writeQuestions(questions: readonly Question[], writer: DnsWriter): number {
  const left = questions.findIndex(({ name, type }) => !writer.question(name, type, false));
  return left < 0 ? questions.length : left;
}

/** Sends each message that becomes full; the caller sends the last one. */
function writeKnownAnswers(
  known: readonly CachedRecord[],
  nowMs: number,
  writer: DnsWriter,
  outlet: Outlet,
): void {
  for (const record of known) {
    if (writeKnown(record, nowMs, writer)) continue;
    writer.addFlags(FLAG_TRUNCATED);
    outlet.multicast(writer.message);
    writer.begin(0, FLAGS_QUERY);
    writeKnown(record, nowMs, writer);
  }
}

/** Shared records with more than half of their life left; others are to be sent again (RFC 6762 §7.1). */
function knownAnswers({ name, type }: Question, cache: RecordCache, nowMs: number): CachedRecord[] {
  if (type !== TYPE_PTR) return [];
  return cache.all(name, type).filter((record) => remainingSeconds(record, nowMs) * 2 > record.ttlSeconds);
}

function writeKnown(known: CachedRecord, nowMs: number, writer: DnsWriter): boolean {
  const ttlSeconds = remainingSeconds(known, nowMs);
  const record: ResourceRecord = { ...known, ttlSeconds, isUnique: false };
  return writer.record(ANSWER, record, { ttlSeconds, cacheFlush: false });
}

function remainingSeconds({ expiresMs }: CachedRecord, nowMs: number): number {
  return Math.max(0, Math.floor((expiresMs - nowMs) / 1000));
}
