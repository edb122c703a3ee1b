/** Limits of accounts. */

/** Wrong claim codes in a minute, of an account and of an address: a code has 40 bits (docs/spec/hub-api.md#claim). */
export const CLAIM_FAILURES_PER_MINUTE = 10;
