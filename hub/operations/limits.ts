/** Limits of the operators' endpoints. */

/** A part of the hub that takes longer to answer is away: probes of load balancers wait a few seconds at most. */
export const PROBE_LIMIT_MS = 2_000;
