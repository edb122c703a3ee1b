/** Domain names in wire form (RFC 1035 §3.1). */

/** RFC 1035 §2.3.4. */
export const LABEL_LIMIT_BYTES = 63;

/** RFC 1035 §2.3.4, including length bytes and root. */
const NAME_LIMIT_BYTES = 255;

/** An uncompressed name in wire form. Immutable. */
export type DomainName = Uint8Array;

/**
 * Builds a name from labels, most specific first: `domainName("_svc", "_tcp", "local")`.
 * @throws {RangeError} for an empty label, one over 63 bytes of UTF-8, or a name over 255
 */
export function domainName(...labels: readonly string[]): DomainName {
  const encoder = new TextEncoder();
  const encoded = labels.map((label) => encoder.encode(label));
  const name = new Uint8Array(encoded.reduce((total, label) => total + 1 + label.length, 1));
  let at = 0;
  for (const label of encoded) {
    if (label.length === 0 || label.length > LABEL_LIMIT_BYTES)
      throw new RangeError(`Cannot use a label of ${label.length} bytes: 1 to ${LABEL_LIMIT_BYTES} fit`);
    name[at] = label.length;
    name.set(label, at + 1);
    at += 1 + label.length;
  }
  if (name.length > NAME_LIMIT_BYTES)
    throw new RangeError(`Cannot use a name of ${name.length} bytes: ${NAME_LIMIT_BYTES} fit`);
  return name;
}

/** The labels of an uncompressed name, most specific first. Bytes that are not UTF-8 become U+FFFD. */
export function labelsOf(name: DomainName): string[] {
  const decoder = new TextDecoder();
  const labels: string[] = [];
  for (let at = 0; name[at] !== 0; at += 1 + (name[at] as number))
    labels.push(decoder.decode(name.subarray(at + 1, at + 1 + (name[at] as number))));
  return labels;
}

/** The labels with dots between them, as mdns-js shows names; dots within a label are not escaped. */
export function nameText(name: DomainName): string {
  return labelsOf(name).join(".");
}

/** Whether two uncompressed names are equal, ignoring ASCII case. Their length bytes are below any letter. */
export function sameName(one: DomainName, other: DomainName): boolean {
  if (one === other) return true;
  return (
    one.length === other.length &&
    one.every((byte, index) => byte === other[index] || foldCase(byte) === foldCase(other[index] as number))
  );
}

/** Converts an ASCII letter to lower case; returns other bytes unchanged. */
function foldCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}
