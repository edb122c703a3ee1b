/** The platform interfaces of the hub client: implemented by a console and by Node. */

import type { DigestConstructor } from "../protocol/ports/crypto.js";
import type { Resolver, TcpClient, TlsConstructor } from "../protocol/ports/network.js";
import type { Base64, Clock, Memory, Random, Timer } from "../protocol/ports/runtime.js";

export interface HubClientPorts {
  readonly Socket: TcpClient["Socket"];
  /** Left out where there is no TLS: `https` and `wss` are then refused as `not_implemented`. */
  readonly Tls?: TlsConstructor;
  readonly resolver: Resolver;
  readonly timer: Timer;
  readonly clock: Clock;
  readonly random: Random;
  readonly Digest: DigestConstructor;
  readonly base64: Base64;
  /** For long heads of answers. */
  readonly memory: Memory;
  /**
   * Whether this is a port of the console's own management: a hub and its downloads are never there, since a request of
   * the console to itself would do what a stranger may not. Left out where there is no such port.
   */
  isOwnPort?(address: string, port: number): boolean;
  /** Whether something that takes so many bytes of memory may be begun now. Left out where there is plenty. */
  hasRoom?(byteLength: number): boolean;
}
