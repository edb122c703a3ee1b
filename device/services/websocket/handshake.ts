/**
 * The server side of the opening handshake (RFC 6455 §4.2): checks a request head, and upgrades the connection or
 * refuses the client. Independent of connections.
 */
import { Fault, quoted } from "../../../protocol/fault.js";
import type { Base64 } from "../../../protocol/ports/runtime.js";
import {
  type AcceptKeyPorts,
  acceptKeyOf,
  KEY_BYTES,
  VERSION,
} from "../../../protocol/websocket/accept-key.js";
import type { JsonAnswer } from "../api/request.js";
import type { Guard, Opening, Upgrade } from "../http/conversation.js";
import {
  type BearerAuthenticator,
  bearerToken,
  checkSource,
  type SourceRules,
} from "../http/request-guard.js";
import { parseTarget, type RequestHead } from "../http/request-head.js";
import type { Logger } from "../logs/log-line.js";

const ALLOW_LINE = "allow: GET\r\n";

/** RFC 9110 §15.5.22 wants Upgrade in 426, §7.8 the connection option with it, RFC 6455 §4.4 the version. */
const UPGRADE_LINES = `upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: ${VERSION}\r\n`;

/** A client gets the reason of a fault; any other error is a bug, which is logged and reported without details. */
export function answerTo(error: unknown, log: Logger): JsonAnswer {
  const fault = asFault(error, log);
  return { status: fault.status, body: { ...fault.toBody() } };
}

function asFault(error: unknown, log: Logger): Fault {
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
  readonly log: Logger;
  /** @throws {Fault} `busy` if there is no room for another client from `address` */
  checkRoom(address: string | undefined): void;
  readonly begin: Upgrade["begin"];
}

const PATH = "/ws";

export class Handshake implements Guard {
  readonly #options: HandshakeOptions;

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  /** A refusal ends the connection, and the body of a refused request stays unread. */
  open(head: RequestHead, address: string | undefined): Opening {
    const { log, begin, checkRoom } = this.#options;
    try {
      const answer = this.accept(head, address);
      checkRoom(address);
      return { exchange: undefined, fieldLines: "", upgrade: { answer, begin } };
    } catch (error) {
      const failure = asFault(error, log);
      log.debug(`refused ${address}: ${failure.message}`);
      return { exchange: undefined, failure, fieldLines: fieldLines(failure), isLast: true };
    }
  }

  /**
   * Check a request, in the same order as HTTP: source, token, path, method, upgrade.
   * @param address address of the client
   * @returns the encoded answer that opens the WebSocket
   * @throws {Fault} of the source rules, the gate and the target; `not_found`, `method_not_allowed`,
   *   `upgrade_required`, `bad_request` for an invalid key
   */
  accept(head: RequestHead, address: string | undefined): Uint8Array {
    const { rules, gate, encoder } = this.#options;
    checkSource(head.fields, rules);
    const { path, parameters } = parseTarget(head.target);
    const token = bearerToken(head.fields.single("authorization"));
    // An image in any web page can request a URL with a wrong token. If that counted as a guess, the page could lock
    // out its reader. So without `Authorization`, only an upgrade request counts.
    if (token !== undefined || asksForUpgrade(head)) gate.check(address, token ?? parameters.get("token"));
    else gate.require(parameters.get("token"));
    if (path !== PATH) throw new Fault("not_found", `There is nothing at ${quoted(path)}`);
    if (head.method !== "GET") throw new Fault("method_not_allowed", "Open a WebSocket with GET");
    checkUpgrade(head);
    return encoder.encode(switching(acceptKeyOf(this.#readKey(head), this.#options)));
  }

  /**
   * Returns the key as text, which the answer digests, after checking that it is base64 of 16 bytes (RFC 6455 §4.2.1).
   */
  #readKey({ fields }: RequestHead): string {
    const key = fields.single("sec-websocket-key") ?? "";
    if (byteLength(key, this.#options.base64) !== KEY_BYTES)
      throw new Fault("bad_request", `Sec-WebSocket-Key must be ${KEY_BYTES} bytes in base64`);
    return key;
  }
}

/** RFC 6455 §4.2.1. HTTP/1.0 has no upgrade (RFC 9110 §7.8). */
function checkUpgrade(head: RequestHead): void {
  const { fields, framing } = head;
  if (!asksForUpgrade(head))
    throw new Fault("upgrade_required", `"${PATH}" is available as a WebSocket only`);
  if (fields.single("sec-websocket-version") !== VERSION)
    throw new Fault("upgrade_required", `Only version ${VERSION} of WebSocket is supported`);
  if (framing.kind !== "none") throw new Fault("bad_request", "A WebSocket request must not have a body");
}

/** Images, links and forms cannot send such a request. */
function asksForUpgrade({ fields, version }: RequestHead): boolean {
  return (
    version !== "1.0" && fields.hasToken("connection", "upgrade") && fields.hasToken("upgrade", "websocket")
  );
}

/** Decoded length of base64 `text`; `undefined` if it is not base64. */
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
