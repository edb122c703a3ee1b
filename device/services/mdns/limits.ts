/** What multicast DNS may cost in bytes and records, and how long things take (RFC 6762, RFC 6763). */

/** The group and port of RFC 6762 §3. */
export const MDNS_ADDRESS = "224.0.0.251";
export const MDNS_PORT = 5353;
/** RFC 6762 §11: every message is sent with this IP time to live. */
export const MDNS_TIME_TO_LIVE = 255;

/** Largest message written: an Ethernet frame of 1500 bytes without IP and UDP heads (RFC 6762 §17). */
export const MESSAGE_LIMIT_BYTES = 1472;
/** Largest message read: RFC 6762 §17 allows no larger one. */
export const DATAGRAM_LIMIT_BYTES = 9000;
/** RFC 1035 §2.3.4. */
export const LABEL_LIMIT_BYTES = 63;
/** RFC 1035 §2.3.4, lengths and root included. */
export const NAME_LIMIT_BYTES = 255;
/**
 * Pointers that a name may be followed through. A writer needs one for a name that it has written before, and that name
 * may end in another; a message of names that are chains of a hundred takes as long to read as a hundred messages.
 */
export const POINTERS_PER_NAME_LIMIT = 10;
/**
 * Questions of a message: a computer that looks for everything at once asks for some thirty types
 * (docs/spec/mdns.md#mdns-limits).
 */
export const QUESTION_LIMIT = 64;
/** Questions and records of a message: 9000 bytes could hold a thousand, each of which is held against each of ours. */
export const ENTRY_LIMIT = 256;
/** RFC 6763 §6.1: one string of a TXT record. */
export const TEXT_STRING_LIMIT_BYTES = 255;
/** RFC 6763 §6.2: a TXT record over 1300 bytes would not fit a frame together with the others. */
export const TEXT_LIMIT_BYTES = 1300;
/** Name endings that a writer remembers to point at; past it names are written out. */
export const SUFFIX_LIMIT = 48;
/** Records of one name that take part in a tiebreak; honest probes have two or three. */
export const TIEBREAK_RECORD_LIMIT = 16;
/** Advertisements at a time. The device itself has one. */
export const ADVERTISEMENT_LIMIT = 8;
/** Records that one browser remembers, about 16 consoles with four each. */
export const CACHED_RECORD_LIMIT = 64;

/** Bytes of those records, names included: strangers choose how long each is, up to a whole datagram. */
export const CACHED_BYTES_LIMIT = 16 * 1024;
/** Strings of a TXT record that are reported; ours has four. One of 1300 bytes can hold 650 of a byte. */
export const TEXT_STRINGS_LIMIT = 32;

/** RFC 6762 §10: records that name a host or hold its address. */
export const HOST_TTL_SECONDS = 120;
/** RFC 6762 §10: all others. */
export const OTHER_TTL_SECONDS = 4500;
/** RFC 6762 §6.7: for legacy (not multicast DNS) queriers. */
export const LEGACY_TTL_SECONDS = 10;

/** RFC 6762 §8.1: three probes, 250 ms apart, after a random delay up to 250 ms. */
export const PROBE_COUNT = 3;
export const PROBE_INTERVAL_MS = 250;
/** RFC 6762 §8.2: who loses a tiebreak probes again after a second. */
export const TIEBREAK_DELAY_MS = 1000;
/** RFC 6762 §8.1: after 15 conflicts within 10 s a probe waits 5 s. */
export const CONFLICT_COUNT_LIMIT = 15;
export const CONFLICT_WINDOW_MS = 10_000;
export const CONFLICT_DELAY_MS = 5000;
/** RFC 6762 §8.3: two to eight announcements; two, a second apart, are what is required. */
export const ANNOUNCEMENT_COUNT = 2;
export const ANNOUNCEMENT_INTERVAL_MS = 1000;

/** RFC 6762 §6: between two multicasts of one record, and where the second answers a probe. */
export const MULTICAST_INTERVAL_MS = 1000;
export const PROBE_ANSWER_INTERVAL_MS = 250;
/** RFC 6762 §6: random delay of answers that others may give too. */
export const SHARED_DELAY_LOW_MS = 20;
export const SHARED_DELAY_HIGH_MS = 120;
/** RFC 6762 §7.2: random delay while more known answers are to come. */
export const TRUNCATED_DELAY_LOW_MS = 400;
export const TRUNCATED_DELAY_HIGH_MS = 500;

/** RFC 6762 §5.2: queries one second apart, then twice as far each time, up to an hour. */
export const QUERY_INTERVAL_MS = 1000;
export const QUERY_INTERVAL_LIMIT_MS = 3_600_000;
/** RFC 6762 §10.1 and §10.2: a record that was withdrawn or replaced lives one more second. */
export const GOODBYE_DELAY_MS = 1000;
