/**
 * The opening handshake, the server's half (RFC 6455 §4.2): turns a request head into the key that the answer is
 * computed from, or the reason for refusing this client a WebSocket. Knows no connection.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Base64 } from "../../../protocol/ports/bytes.js";
import { quoted } from "../../../protocol/quoted.js";
import {
  type AcceptKeyPorts,
  acceptKeyOf,
  KEY_BYTES,
  VERSION,
} from "../../../protocol/websocket/accept-key.js";
import { type BearerAuthenticator, bearerToken } from "../http/bearer-authenticator.js";
import type { RequestHead } from "../http/request-head.js";
import { parseTarget } from "../http/request-target.js";
import { checkSource, type SourceRules } from "../http/source-rules.js";

export interface HandshakeOptions extends AcceptKeyPorts {
  readonly rules: SourceRules;
  readonly gate: BearerAuthenticator;
}

const PATH = "/ws";

export class Handshake {
  readonly #options: HandshakeOptions;

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  /**
   * Checks a request in the order in which HTTP does: who asks, what for, and whether it can be had.
   * @param address where it came from
   * @returns the answer, in bytes, with which the WebSocket is open
   * @throws {Fault} of the source rules, the gate and the target; `not_found`, `method_not_allowed`,
   *   `upgrade_required`, `bad_request` for a key that is none
   */
  accept(head: RequestHead, address: string | undefined): Uint8Array {
    const { rules, gate, encoder } = this.#options;
    checkSource(head, rules);
    const { path, parameters } = parseTarget(head.target);
    const token = bearerToken(head.fields.single("authorization"));
    // Any page's image can bring a wrong token in the query, and would lock its reader out if that counted as a guess.
    if (token !== undefined || asksForUpgrade(head)) gate.check(address, token ?? parameters.get("token"));
    else gate.require(parameters.get("token"));
    if (path !== PATH) throw new Fault("not_found", `There is nothing at ${quoted(path)}`);
    if (head.method !== "GET") throw new Fault("method_not_allowed", "A WebSocket is asked for with GET");
    checkUpgrade(head);
    return encoder.encode(switching(acceptKeyOf(this.#readKey(head), this.#options)));
  }

  /** RFC 6455 §4.2.1: base64 of 16 bytes. It is not decoded further: its text is what is digested. */
  #readKey({ fields }: RequestHead): string {
    const key = fields.single("sec-websocket-key") ?? "";
    if (byteLength(key, this.#options.base64) !== KEY_BYTES)
      throw new Fault("bad_request", `Sec-WebSocket-Key takes ${KEY_BYTES} bytes in base64`);
    return key;
  }
}

/** RFC 6455 §4.2.1. HTTP/1.0 knows no upgrade (RFC 9110 §7.8). */
function checkUpgrade(head: RequestHead): void {
  const { fields, framing } = head;
  if (!asksForUpgrade(head)) throw new Fault("upgrade_required", `"${PATH}" is a WebSocket and nothing else`);
  if (fields.single("sec-websocket-version") !== VERSION)
    throw new Fault("upgrade_required", `Only version ${VERSION} of WebSocket is spoken here`);
  if (framing.kind !== "none") throw new Fault("bad_request", "A request for a WebSocket has no body");
}

/** No image, link or form can ask so. */
function asksForUpgrade({ fields, version }: RequestHead): boolean {
  return (
    version !== "1.0" && fields.hasToken("connection", "upgrade") && fields.hasToken("upgrade", "websocket")
  );
}

/** `undefined` for what is not base64. */
function byteLength(text: string, base64: Base64): number | undefined {
  try {
    return base64.decode(text).byteLength;
  } catch {
    return undefined; // regardless of the host decoder's error
  }
}

function switching(proof: string): string {
  return `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${proof}\r\n\r\n`;
}
