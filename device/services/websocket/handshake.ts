/**
 * The opening handshake, the server's half (RFC 6455 §4.2): turns a request head into the key that the answer is
 * computed from, or the reason for refusing this client a WebSocket. Knows no connection.
 */
import { Fault, quoted } from "../../../protocol/fault.js";
import type { Encoder } from "../../../protocol/http/fields.js";
import type { Base64 } from "../../../protocol/ports/runtime.js";
import {
  type AcceptKeyPorts,
  acceptKeyOf,
  KEY_BYTES,
  VERSION,
} from "../../../protocol/websocket/accept-key.js";
import {
  type BearerAuthenticator,
  bearerToken,
  checkSource,
  type SourceRules,
} from "../http/request-guard.js";
import { parseTarget, type RequestHead } from "../http/request-head.js";
import { refusal as refusalOf } from "../http/response.js";
import type { Logger } from "../logs/log-line.js";

// The answer to a request that gets no WebSocket; the connection ends with it.

const ALLOW_LINE = "allow: GET\r\n";

/** RFC 9110 §15.5.22 wants Upgrade in 426, §7.8 the connection option with it, RFC 6455 §4.4 the version. */
const UPGRADE_LINES = `upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: ${VERSION}\r\n`;

/** @param omitsBody whether HEAD was asked */
export function refusal(fault: Fault, encoder: Pick<Encoder, "encode">, omitsBody: boolean): Uint8Array {
  return refusalOf(fault, encoder, fieldLines(fault), omitsBody);
}

/** The fault to answer with: `error` itself, or, for a bug of ours, one that keeps quiet about it. */
export function asFault(error: unknown, log: Logger): Fault {
  if (error instanceof Fault) return error;
  log.error(String(error));
  return new Fault("internal_error", "The request could not be answered");
}

function fieldLines({ code }: Fault): string {
  if (code === "method_not_allowed") return ALLOW_LINE;
  return code === "upgrade_required" ? UPGRADE_LINES : "";
}

interface HandshakeOptions extends AcceptKeyPorts {
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
    if (head.method !== "GET") throw new Fault("method_not_allowed", "Open a WebSocket with GET");
    checkUpgrade(head);
    return encoder.encode(switching(acceptKeyOf(this.#readKey(head), this.#options)));
  }

  /** RFC 6455 §4.2.1: base64 of 16 bytes. It is not decoded further: its text is what is digested. */
  #readKey({ fields }: RequestHead): string {
    const key = fields.single("sec-websocket-key") ?? "";
    if (byteLength(key, this.#options.base64) !== KEY_BYTES)
      throw new Fault("bad_request", `Sec-WebSocket-Key must be ${KEY_BYTES} bytes in base64`);
    return key;
  }
}

/** RFC 6455 §4.2.1. HTTP/1.0 knows no upgrade (RFC 9110 §7.8). */
function checkUpgrade(head: RequestHead): void {
  const { fields, framing } = head;
  if (!asksForUpgrade(head))
    throw new Fault("upgrade_required", `"${PATH}" is available as a WebSocket only`);
  if (fields.single("sec-websocket-version") !== VERSION)
    throw new Fault("upgrade_required", `Only version ${VERSION} of WebSocket is supported`);
  if (framing.kind !== "none") throw new Fault("bad_request", "A WebSocket request must not have a body");
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
