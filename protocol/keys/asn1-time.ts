/** Times of certificates (RFC 5280 §4.1.2.5): to the second, in UTC, in one form each. */
import { type DerReader, malformed, TAG } from "./der-reader.js";

/**
 * The next element of `reader`, as milliseconds since 1970.
 * @throws {Fault} `keys_invalid` for any other form, and for a day or an hour that there is not
 */
export function readTime(reader: DerReader): number {
  if (reader.tag === TAG.generalizedTime) return timeOf(ascii(reader.content(TAG.generalizedTime)));
  const text = ascii(reader.content(TAG.utcTime));
  return timeOf(`${text < "50" ? "20" : "19"}${text}`); // §4.1.2.5.1
}

/** @param text YYYYMMDDHHMMSSZ */
function timeOf(text: string): number {
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8)];
  const [hour, minute, second] = [text.slice(8, 10), text.slice(10, 12), text.slice(12, 14)];
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const time = Date.parse(iso);
  // Writing it again finds what the parser forgave, such as 30 February.
  if (text.length !== 15 || !text.endsWith("Z") || Number.isNaN(time) || new Date(time).toISOString() !== iso)
    throw malformed(`"${text}" is no time`);
  return time;
}

function ascii(content: Uint8Array): string {
  if (content.length > 15 || content.some((byte) => byte < 0x20 || byte > 0x7e))
    throw malformed("a time is none");
  return String.fromCharCode(...content);
}
