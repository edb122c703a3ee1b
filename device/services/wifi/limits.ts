/** Limits and times of joining a network. */

/** Bytes of a network's name (IEEE 802.11 §9.4.2.2, docs/spec/wifi.md#credentials). */
export const SSID_LIMIT_BYTES = 32;

/**
 * Networks that a scan tells of, the strongest: enough for a choice, and a house of flats has more
 * (docs/spec/wifi.md#scan).
 */
export const FOUND_NETWORKS_LIMIT = 20;

/**
 * A join that takes longer has failed. A slow access point needs 4 s, and a slow DHCP server as much again
 * (docs/spec/wifi.md#join-limit).
 */
export const JOIN_LIMIT_MS = 20_000;

/** A scan that takes longer ends with what it has found. All channels, 120 ms on each, are under 3 s. */
export const SCAN_LIMIT_MS = 10_000;

/** Before the first attempt to join again; twice as long before each further one. */
export const FIRST_RETRY_MS = 1000;

/**
 * The most between two attempts: how long a console may stay away after its access point is back
 * (docs/spec/wifi.md#retry).
 */
export const LAST_RETRY_MS = 60_000;
