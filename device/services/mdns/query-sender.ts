/** Writes and sends queries with what is known of their answers (RFC 6762 §5.2, §7.1, §7.2). */
import { ANSWER } from "./dns-reader.js";
import { FLAG_TRUNCATED, FLAGS_QUERY, TYPE_PTR } from "./dns-types.js";
import type { DnsWriter } from "./dns-writer.js";
import { type Question, sameQuestion } from "./open-question.js";
import type { Outlet } from "./outlet.js";
import type { CachedRecord, RecordCache } from "./record-cache.js";
import type { ResourceRecord } from "./resource-record.js";

/** Asks all of `questions` in one message, and goes on with known answers in as many more as it takes. */
export function sendQuery(
  questions: readonly Question[],
  cache: RecordCache,
  nowMs: number,
  writer: DnsWriter,
  outlet: Outlet,
): void {
  const different = questions.filter(
    (question, index) => questions.findIndex((other) => sameQuestion(question, other)) === index,
  );
  if (different.length === 0) return;
  writer.begin(0, FLAGS_QUERY);
  const fitting = different.filter(({ name, type }) => writer.question(name, type, false));
  for (const known of fitting.flatMap((question) => knownAnswers(question, cache, nowMs))) {
    if (writeKnown(known, nowMs, writer)) continue;
    writer.addFlags(FLAG_TRUNCATED);
    outlet.multicast(writer.message);
    writer.begin(0, FLAGS_QUERY);
    writeKnown(known, nowMs, writer);
  }
  outlet.multicast(writer.message);
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
