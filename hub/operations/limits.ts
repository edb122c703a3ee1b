/** Limits of the operators' endpoints. */

/** A part of the hub that does not answer in this time is down: probes of load balancers wait a few seconds at most. */
export const PROBE_LIMIT_MS = 2_000;
