/**
 * Two hosts probe for one name at the same time: the one whose records sort later has it (RFC 6762 §8.2).
 */

import type { Claim } from "./claim.js";
import { AUTHORITY, type DnsReader } from "./dns-reader.js";
import { CLASS_IN } from "./dns-types.js";
import { TIEBREAK_RECORD_LIMIT } from "./limits.js";
import { compareBytes } from "./resource-record.js";

interface Proposal {
  readonly classCode: number;
  readonly type: number;
  readonly data: Uint8Array;
}

/** Whether the probe in `reader` proposes records for the name of `claim` that sort after its own. */
export function losesTiebreak(claim: Claim, reader: DnsReader): boolean {
  const theirs = proposalsFor(claim, reader);
  if (theirs.length === 0) return false;
  const ours = claim.probed.map(({ type, data }) => ({ classCode: CLASS_IN, type, data }));
  for (const [index, proposal] of ours.entries()) {
    const other = theirs[index];
    if (other === undefined) return false;
    const order = compareProposals(proposal, other);
    if (order !== 0) return order < 0;
  }
  return ours.length < theirs.length;
}

function proposalsFor(claim: Claim, reader: DnsReader): Proposal[] {
  const proposals: Proposal[] = [];
  reader.rewind();
  while (reader.next() && proposals.length < TIEBREAK_RECORD_LIMIT) {
    if (reader.section !== AUTHORITY || !reader.nameIs(claim.name)) continue;
    proposals.push({ classCode: reader.classCode, type: reader.type, data: reader.copyData() });
  }
  return proposals.sort(compareProposals);
}

/** RFC 6762 §8.2: by class without its top bit, then type, then the bytes of the data. */
function compareProposals(one: Proposal, other: Proposal): number {
  return one.classCode - other.classCode || one.type - other.type || compareBytes(one.data, other.data);
}
