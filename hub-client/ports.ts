/** The platform interfaces of the hub client: implemented by a console and by Node. */

import type { DigestConstructor } from "../protocol/ports/crypto.js";
import type { Resolver, TcpClient, TlsConstructor } from "../protocol/ports/network.js";
import type { Base64, Clock, Memory, Random, Timer } from "../protocol/ports/runtime.js";

export interface HubClientPorts {
  readonly Socket: TcpClient["Socket"];
  /** Left out without TLS: `https` and `wss` then fail with `not_implemented`. */
  readonly Tls?: TlsConstructor;
  readonly resolver: Resolver;
  readonly timer: Timer;
  readonly clock: Clock;
  readonly random: Random;
  readonly Digest: DigestConstructor;
  readonly base64: Base64;
  /** Buffers for long response heads. */
  readonly memory: Memory;
  /**
   * Whether this is a port of the console's own management. The hub client never connects to it: a request of the
   * console to itself would have rights that the hub lacks. Left out if there is no such port.
   */
  isOwnPort?(address: string, port: number): boolean;
  /** Whether work that takes this many bytes of memory may begin now. Left out if memory is plentiful. */
  hasRoom?(byteLength: number): boolean;
}
