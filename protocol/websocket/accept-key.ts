/** Computes `Sec-WebSocket-Accept` for the opening handshake (RFC 6455 §1.3, §4.2.2). */

import type { Encoder } from "../http/fields.js";
import type { DigestConstructor } from "../ports/crypto.js";
import type { Base64 } from "../ports/runtime.js";

/** The only protocol version (RFC 6455 §4.1). */
export const VERSION = "13";

/** Length of the random key that a client generates. */
export const KEY_BYTES = 16;

/** RFC 6455 §1.3: a GUID that only a server that implements WebSockets appends to the key. */
const KEY_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export interface AcceptKeyPorts {
  readonly digest: DigestConstructor;
  readonly base64: Base64;
  readonly encoder: Pick<Encoder, "encode">;
}

/** `Sec-WebSocket-Accept` for a `Sec-WebSocket-Key`. Hashes the key's text without decoding its base64. */
export function acceptKeyOf(key: string, { digest: Digest, base64, encoder }: AcceptKeyPorts): string {
  const digest = new Digest("SHA1");
  digest.write(encoder.encode(key + KEY_SUFFIX));
  return base64.encode(new Uint8Array(digest.close()));
}
