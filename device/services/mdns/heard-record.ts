/** Decide what a record in a peer's response means for one of our names. */
import type { Claim } from "./claim.js";
import type { DnsReader } from "./dns-reader.js";

/**
 * Whether the record in `reader` is one under the name of `claim` that is not ours: of any type while the
 * name is probed for, of a type that we have once it is ours (RFC 6762 §8.1 and §9). A goodbye is none.
 */
export function isContestedBy(claim: Claim, reader: DnsReader): boolean {
  if (claim.phase.phase === "idle" || reader.ttlSeconds === 0 || !reader.nameIs(claim.name)) return false;
  const ofType = claim.records.filter(({ record }) => record.type === reader.type);
  if (ofType.some(({ record }) => reader.dataIs(record.data))) return false;
  return claim.isProbing || claim.probed.some(({ type }) => type === reader.type);
}

/**
 * Another host gave an answer that is ours too: ours is not needed (RFC 6762 §7.4), or needed to keep
 * caches from dropping it where theirs has less than half of its life (§6.6).
 */
export function noteAnswer(claim: Claim, reader: DnsReader, nowMs: number): void {
  for (const owned of claim.records) {
    const { record } = owned;
    if (record.type !== reader.type || !reader.nameIs(record.name) || !reader.dataIs(record.data)) continue;
    if (reader.ttlSeconds * 2 < record.ttlSeconds) owned.want(nowMs);
    else if (reader.ttlSeconds >= record.ttlSeconds) owned.cancel();
  }
}
