/**
 * Messages of SNTP version 4, the simple use of NTP by a client (RFC 5905 §7.3 and §14): one request, and one answer that has
 * the server's time.
 */

export const SNTP_PORT = 123;
/** Of both messages, without an authenticator. */
const MESSAGE_BYTES = 48;
/** Of the random number that an answer repeats: only who sees the request can answer it. */
export const NONCE_BYTES = 8;

const MODE_CLIENT = 3;
const MODE_SERVER = 4;
const VERSION = 4;
const OLDEST_VERSION = 3;
/** Of the leap indicator: the server itself has no time. */
const UNSYNCHRONIZED = 3;
const LAST_STRATUM = 15;

const ORIGIN_AT = 24;
const TRANSMIT_AT = 40;

/** Seconds from 1900, when NTP's first era begins, to 1970. */
const SECONDS_TO_1970 = 2_208_988_800;
const ERA_SECONDS = 2 ** 32;
/** The first bit of the seconds: set until 2036 and clear from then to 2104 (RFC 4330 §3). */
const FIRST_ERA = 2 ** 31;

/** @param nonce takes the place of the time of sending, which no server needs */
export function sntpRequest(nonce: Uint8Array): Uint8Array {
  const message = new Uint8Array(MESSAGE_BYTES);
  message[0] = (VERSION << 3) | MODE_CLIENT;
  message.set(nonce, TRANSMIT_AT);
  return message;
}

/**
 * Reads the server's time from an answer, in milliseconds since 1970.
 * @param nonce that of the request
 * @returns `refused` by a server that has no time, or asks for fewer requests (stratum 0, RFC 5905 §7.4); `undefined` for
 * anything that is no answer to this request
 */
export function readSntpAnswer(message: Uint8Array, nonce: Uint8Array): number | "refused" | undefined {
  if (message.length < MESSAGE_BYTES) return undefined;
  const [first = 0, stratum = 0] = message;
  const version = (first >> 3) & 7;
  if ((first & 7) !== MODE_SERVER || version < OLDEST_VERSION || version > VERSION) return undefined;
  for (let index = 0; index < NONCE_BYTES; index++)
    if (message[ORIGIN_AT + index] !== nonce[index]) return undefined;
  if (first >> 6 === UNSYNCHRONIZED || stratum === 0 || stratum > LAST_STRATUM) return "refused";
  return timeAt(message, TRANSMIT_AT);
}

function timeAt(message: Uint8Array, at: number): number | "refused" {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const seconds = view.getUint32(at);
  const fraction = view.getUint32(at + 4);
  if (seconds === 0 && fraction === 0) return "refused";
  const sinceEpoch = seconds - SECONDS_TO_1970 + (seconds < FIRST_ERA ? ERA_SECONDS : 0);
  return sinceEpoch * 1000 + Math.floor((fraction * 1000) / ERA_SECONDS);
}
