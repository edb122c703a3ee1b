/** How a server proves that it has read a client's opening handshake (RFC 6455 §1.3, §4.2.2). */

import type { Encoder } from "../http/fields.js";
import type { DigestConstructor } from "../ports/crypto.js";
import type { Base64 } from "../ports/runtime.js";

/** The one version of the protocol (RFC 6455 §4.1). */
export const VERSION = "13";

/** Of the key that a client makes up. */
export const KEY_BYTES = 16;

/** RFC 6455 §1.3: what no server that does not know WebSockets would append to a key. */
const KEY_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export interface AcceptKeyPorts {
  readonly digest: DigestConstructor;
  readonly base64: Base64;
  readonly encoder: Pick<Encoder, "encode">;
}

/** `Sec-WebSocket-Accept` for a `Sec-WebSocket-Key`, which is digested as the text that it is. */
export function acceptKeyOf(key: string, { digest: Digest, base64, encoder }: AcceptKeyPorts): string {
  const digest = new Digest("SHA1");
  digest.write(encoder.encode(key + KEY_SUFFIX));
  return base64.encode(new Uint8Array(digest.close()));
}
