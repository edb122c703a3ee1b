/**
 * Which of our records answer a query (RFC 6762 §6): by name and type, `NSEC` where the name is ours but
 * has no such record (§6.1), without the querier's known answers (§7.1).
 */
import type { Claim } from "./claim.js";
import { ANSWER, type DnsReader, QUESTION } from "./dns-reader.js";
import { CLASS_ANY, CLASS_IN, TYPE_ANY, TYPE_NSEC } from "./dns-types.js";
import type { DomainName } from "./domain-name.js";
import type { OwnedRecord } from "./owned-record.js";

export interface Answer {
  readonly claim: Claim;
  readonly owned: OwnedRecord;
}

/** An answer to a query, and whether all who asked want it by unicast (RFC 6762 §5.4). */
export interface WantedAnswer extends Answer {
  wantsUnicast: boolean;
}

/** Answers to the questions in `reader` from the names that are ours; the reader may be anywhere. */
export function answersTo(reader: DnsReader, claims: readonly Claim[]): WantedAnswer[] {
  const answers: WantedAnswer[] = [];
  reader.rewind();
  while (reader.next() && reader.section === QUESTION) {
    if (reader.classCode !== CLASS_IN && reader.classCode !== CLASS_ANY) continue;
    for (const claim of claims) if (claim.isOurs) addAnswers(answers, reader, claim);
  }
  return answers.length === 0 ? answers : answers.filter(({ owned }) => !isKnown(reader, owned));
}

function addAnswers(answers: WantedAnswer[], reader: DnsReader, claim: Claim): void {
  let isAnswered = false;
  let compared: DomainName | undefined;
  let isAsked = false; // for the name that was compared last: records of one name come one after the other
  for (const owned of claim.records) {
    if (!matchesType(reader, owned)) continue;
    if (owned.record.name !== compared) {
      compared = owned.record.name;
      isAsked = reader.nameIs(compared);
    }
    if (!isAsked) continue;
    addAnswer(answers, { claim, owned, wantsUnicast: reader.hasTopBit });
    isAnswered = true;
  }
  if (isAnswered || !reader.nameIs(claim.name)) return;
  const denial = claim.records.find(({ record }) => record.type === TYPE_NSEC);
  if (denial) addAnswer(answers, { claim, owned: denial, wantsUnicast: reader.hasTopBit });
}

/** A denial is an answer to a question for everything only where there is nothing else. */
function matchesType(reader: DnsReader, { record }: OwnedRecord): boolean {
  return reader.type === record.type || (reader.type === TYPE_ANY && record.type !== TYPE_NSEC);
}

function addAnswer(answers: WantedAnswer[], answer: WantedAnswer): void {
  const twin = answers.find(({ owned }) => owned === answer.owned);
  if (twin === undefined) answers.push(answer);
  else twin.wantsUnicast &&= answer.wantsUnicast;
}

/** Whether the answers in a query hold the record with at least half of its life left (RFC 6762 §7.1). */
export function isKnown(reader: DnsReader, { record }: OwnedRecord): boolean {
  reader.rewind();
  while (reader.next() && reader.section <= ANSWER) {
    if (reader.section !== ANSWER || reader.type !== record.type || reader.classCode !== CLASS_IN) continue;
    if (reader.ttlSeconds * 2 < record.ttlSeconds) continue;
    if (reader.nameIs(record.name) && reader.dataIs(record.data)) return true;
  }
  return false;
}
