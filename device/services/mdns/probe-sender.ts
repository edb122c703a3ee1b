/** Probes for the names that we want, and proposes our records for them (RFC 6762 §8.1). */
import type { Claim } from "./claim.js";
import { AUTHORITY } from "./dns-reader.js";
import { FLAGS_QUERY, TYPE_ANY } from "./dns-types.js";
import type { DnsWriter } from "./dns-writer.js";
import type { Outlet } from "./outlet.js";

/** Probes for all of `claims` in as few messages as they fit in. */
export function sendProbe(claims: readonly Claim[], writer: DnsWriter, outlet: Outlet): void {
  if (claims.length === 0) return;
  if (writeProbe(claims, writer) || claims.length === 1) {
    outlet.multicast(writer.message);
    return;
  }
  const half = claims.length >> 1;
  sendProbe(claims.slice(0, half), writer, outlet);
  sendProbe(claims.slice(half), writer, outlet);
}

/**
 * The question wants a unicast answer, so that an owner need not wait for its turn; the records do not
 * carry the cache-flush bit, for they are no one's yet (RFC 6762 §10.2).
 * @returns false where not all fits
 */
function writeProbe(claims: readonly Claim[], writer: DnsWriter): boolean {
  writer.begin(0, FLAGS_QUERY);
  const fits = claims.every((claim) => writer.question(claim.name, TYPE_ANY, true));
  return (
    fits &&
    claims.every((claim) =>
      claim.probed.every((record) =>
        writer.record(AUTHORITY, record, { ttlSeconds: record.ttlSeconds, cacheFlush: false }),
      ),
    )
  );
}
