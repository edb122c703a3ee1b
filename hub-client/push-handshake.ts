/** The client's half of the opening handshake of the push channel (RFC 6455 §4.1). Has no connection. */

import { Fault, type FaultCode } from "../protocol/fault.js";
import type { Decoder, Encoder } from "../protocol/http/fields.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import type { Random } from "../protocol/ports/runtime.js";
import { type AcceptKeyPorts, acceptKeyOf, KEY_BYTES, VERSION } from "../protocol/websocket/accept-key.js";
import { parseAnswerHead } from "./answer-head.js";
import { retryAfterS } from "./http-client.js";
import { authorityOf } from "./web-address.js";

export interface PushHandshakeOptions extends AcceptKeyPorts {
  readonly random: Random;
  readonly decoder: Decoder;
  readonly encoder: Pick<Encoder, "encode">;
}

const SWITCHING_PROTOCOLS = 101;

/** Fault codes by status; the body of an error response is not read. */
const CODES: Readonly<Record<number, FaultCode>> = Object.freeze({
  401: "unauthorized",
  429: "too_many_attempts",
  503: "busy",
});

export class PushHandshake {
  readonly #options: PushHandshakeOptions;
  readonly #key: string;

  constructor(options: PushHandshakeOptions) {
    this.#options = options;
    const key = new Uint8Array(KEY_BYTES);
    options.random.getRandomValues(key);
    this.#key = options.base64.encode(key);
  }

  /**
   * @param sendsBearer whether the token is in `Authorization`, not in the path
   * @returns the complete request. It contains the token: never log it.
   */
  request(address: HubAddress, deviceToken: string, sendsBearer: boolean): Uint8Array {
    const lines = [
      `GET ${address.basePath}/ws/device${sendsBearer ? "" : `/${deviceToken}`} HTTP/1.1`,
      `host: ${authorityOf(address)}`,
      "upgrade: websocket",
      "connection: Upgrade",
      `sec-websocket-key: ${this.#key}`,
      `sec-websocket-version: ${VERSION}`,
    ];
    if (sendsBearer) lines.push(`authorization: Bearer ${deviceToken}`);
    return this.#options.encoder.encode(`${lines.join("\r\n")}\r\n\r\n`);
  }

  /**
   * Checks the response.
   * @param bytes its head with the empty line
   * @throws {Fault} if the hub rejects the channel: `unauthorized` for an unknown token, `busy` and `too_many_attempts`
   *   with the requested wait, `hub_refused` for anything else
   */
  check(bytes: Uint8Array): void {
    const { status, fields } = parseAnswerHead(bytes, this.#options.decoder, "GET");
    if (status !== SWITCHING_PROTOCOLS) throw refused(status, retryAfterS(fields));
    const isUpgrade = fields.hasToken("connection", "upgrade") && fields.hasToken("upgrade", "websocket");
    if (!isUpgrade || fields.single("sec-websocket-accept") !== acceptKeyOf(this.#key, this.#options))
      throw new Fault("hub_refused", "The hub's Sec-WebSocket-Accept is missing or wrong");
    const extras = fields.list("sec-websocket-extensions") ?? fields.list("sec-websocket-protocol");
    if (extras !== undefined)
      throw new Fault("hub_refused", `The hub requires "${extras}", which was not offered`);
  }
}

function refused(status: number, waitS: number | undefined): Fault {
  const options = waitS === undefined ? undefined : { details: { retry_after_s: waitS } };
  return new Fault(
    CODES[status] ?? "hub_refused",
    `The hub rejected the push channel with status ${status}`,
    options,
  );
}
