/**
 * An HTTP/1.1 client (RFC 9112): one request per connection, whose response is delivered as it arrives. Redirects are
 * returned like every other response: a token must not be sent to their target.
 *
 *   connecting --> head --complete--> body --complete--> ended
 *                  ^  |  (1xx)          |  (ends, fails, silent)
 *                  +--+                 +--------------> ended
 */
import { FAULT_STATUS, Fault, type FaultCode } from "../protocol/fault.js";
import { type BodyReader, bodyReader } from "../protocol/http/body-reader.js";
import type { Fields } from "../protocol/http/fields.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import { type Json, JsonReader } from "../protocol/json.js";
import {
  type AnswerFraming,
  type AnswerHead,
  AnswerHeadReader,
  ByteCollector,
  notHttp,
  parseAnswerHead,
} from "./answer-head.js";
import { ANSWER_LIMIT_BYTES, Connection, Patience, SILENCE_TIMEOUT_MS } from "./connection.js";
import type { HubClientPorts } from "./ports.js";
import { authorityOf, type WebOrigin } from "./web-address.js";

/** Bytes read from a socket at a time: a flash sector. */
const READ_BYTES = 4096;

/** Most JSON values in a response: 4096 bytes can hold 2,000, which as XS values fill a console's heap. */
const ANSWER_VALUES_LIMIT = 128;

/** Longest part of a hub's error message that is shown. */
const MESSAGE_LIMIT_CHARACTERS = 200;

/**
 * Longest wait that a hub can request: a hub that confuses hours with days must not lose a console until an operator
 * intervenes.
 */
const RETRY_AFTER_LIMIT_S = 3600;

// Converts a hub's error response to a `Fault`.

interface Refusal {
  readonly status: number;
  readonly fields: Fields;
  /** As received; a body that is not in the API's error format comes from a proxy and is ignored. */
  readonly body: Uint8Array;
}

/** Members of an error body; the JSON reader accepts only names that it knows. */
const REFUSAL_MEMBERS = Object.freeze(["error", "message"]);

const DEPTH_LIMIT = 4;
const VALUES_LIMIT = 64;
const DIGITS = /^[0-9]{1,9}$/;
const UNAUTHORIZED = 401;

/**
 * A list and not the table itself: XS stores each name that was ever looked up in an object, so a hub that answers with
 * ever new codes would fill the heap.
 */
const CODES: readonly string[] = Object.freeze(Object.keys(FAULT_STATUS));

/** The hub's own code if the error table has it, else `unauthorized` for 401 and `hub_refused` for other statuses. */
export function refusalFault({ status, fields, body }: Refusal): Fault {
  const said = readErrorBody(body);
  const waitS = retryAfterS(fields);
  const options = waitS === undefined ? undefined : { details: { retry_after_s: waitS } };
  const message = said?.message ?? `The hub answered with status ${status}`;
  if (said) return new Fault(said.code, message, options);
  return new Fault(status === UNAUTHORIZED ? "unauthorized" : "hub_refused", message, options);
}

/** Seconds (RFC 9110 §10.2.3), limited; a date is ignored, since a console has no clock. */
export function retryAfterS(fields: Fields): number | undefined {
  const text = fields.list("retry-after");
  return text !== undefined && DIGITS.test(text) ? Math.min(Number(text), RETRY_AFTER_LIMIT_S) : undefined;
}

/** Wait that a hub's fault requests, in milliseconds; 0 if it requests none. */
export function waitOf(fault: Fault): number {
  const waitS = fault.details?.["retry_after_s"];
  return typeof waitS === "number" ? waitS * 1000 : 0;
}

function readErrorBody(
  body: Uint8Array,
): { readonly code: FaultCode; readonly message: string | undefined } | undefined {
  const json = readJson(body);
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const { error, message } = json as { readonly error?: Json; readonly message?: Json };
  if (typeof error !== "string" || !CODES.includes(error)) return undefined;
  const text = typeof message === "string" ? message.slice(0, MESSAGE_LIMIT_CHARACTERS) : undefined;
  return { code: error as FaultCode, message: text };
}

function readJson(body: Uint8Array): Json | undefined {
  try {
    return new JsonReader({ depth: DEPTH_LIMIT, values: VALUES_LIMIT, names: REFUSAL_MEMBERS }).read(body);
  } catch {
    return undefined; // an error page of a proxy
  }
}

export interface HttpRequest {
  readonly to: WebOrigin;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names in lower case, values in ASCII. `host`, `connection` and `content-length` are added. */
  readonly fields: Readonly<Record<string, string>>;
  /**
   * Further field lines, each with its CRLF. Names that others choose belong here: XS keeps each name that was ever one of an
   * object.
   */
  readonly fieldLines?: string;
  readonly body?: Uint8Array;
  /** Whether the body of the response may come at any rate, if it is never silent for long. */
  readonly isSlowAccepted?: boolean;
}

/** Receives the response. No method may throw. */
export interface AnswerSink {
  /** Called once. */
  onHead(head: AnswerHead): void;
  /** Receives the next bytes of the body. The buffer is reused afterwards. */
  onBytes(bytes: Uint8Array): void;
  /**
   * Called once, last, unless the exchange was closed.
   * @param fault `hub_unreachable`, `hub_refused` for invalid HTTP, `not_implemented` without TLS; `undefined` after a
   *   complete response
   */
  onEnd(fault: Fault | undefined): void;
}

type Phase =
  | { readonly phase: "connecting" }
  | { readonly phase: "head"; readonly reader: AnswerHeadReader }
  | { readonly phase: "body"; readonly reader: BodyReader | undefined }
  | { readonly phase: "ended" };

const CONNECTING: Phase = Object.freeze({ phase: "connecting" });
/** Phase of a body that ends with its connection. */
const UNTIL_CLOSE: Phase = Object.freeze({ phase: "body", reader: undefined });
const ENDED: Phase = Object.freeze({ phase: "ended" });

/** Status for a switch of protocols, which was not requested. */
const SWITCHING_PROTOCOLS = 101;

export class HttpExchange {
  readonly #ports: HubClientPorts;
  readonly #request: HttpRequest;
  readonly #sink: AnswerSink;
  readonly #connection: Connection;
  #phase: Phase = CONNECTING;
  #patience: Patience | undefined;
  #isPaused = false;

  /** Starts immediately; no callback runs inside. */
  constructor(ports: HubClientPorts, request: HttpRequest, sink: AnswerSink) {
    this.#ports = ports;
    this.#request = request;
    this.#sink = sink;
    this.#connection = new Connection({
      ports,
      to: request.to,
      readBytes: READ_BYTES,
      onConnected: () => this.#onConnected(),
      onReadable: () => this.#readAll(),
      onEnded: (fault, isPeerEnd) => this.#onEnded(fault, isPeerEnd),
    });
  }

  /** Stops reading from the network until `resume`; bytes already read may still arrive. */
  pause(): void {
    this.#isPaused = true;
    this.#patience?.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#phase.phase === "ended" || this.#phase.phase === "connecting") return;
    this.#patience?.resume();
    this.#ports.timer.set(() => this.#readAll(), 0); // no callback runs inside
  }

  /** May be called twice; no callback follows. */
  close(): void {
    if (this.#phase.phase === "head") this.#phase.reader.reset();
    this.#phase = ENDED;
    this.#patience?.close();
    this.#connection.close();
  }

  #onConnected(): void {
    this.#phase = { phase: "head", reader: new AnswerHeadReader(this.#ports.memory) };
    this.#wait(false);
    const { body } = this.#request;
    this.#connection.send(new TextEncoder().encode(requestHead(this.#request)));
    if (body) this.#connection.send(body);
  }

  #wait(isRated: boolean): void {
    this.#patience?.close();
    const { timer, clock } = this.#ports;
    const onTimeout = (reason: string) => this.#end(this.#unreachable(reason));
    this.#patience = new Patience({ timer, clock, isRated, limitMs: SILENCE_TIMEOUT_MS, onTimeout });
    if (this.#isPaused) this.#patience.pause();
  }

  #readAll(): void {
    try {
      while (this.#phase.phase !== "ended" && !this.#isPaused) {
        const bytes = this.#connection.next();
        if (!bytes) return;
        // Nothing that comes before the end of a head, interim responses included, makes its time longer.
        if (this.#phase.phase === "body") this.#patience?.touch(bytes.length);
        this.#consume(bytes);
      }
    } catch (error) {
      this.#end(error instanceof Fault && error.code === "hub_refused" ? error : notHttp(error));
    }
  }

  #consume(bytes: Uint8Array): void {
    let taken = 0;
    while (taken < bytes.length && this.#phase.phase !== "ended") {
      const rest = bytes.subarray(taken);
      taken +=
        this.#phase.phase === "head" ? this.#consumeHead(this.#phase.reader, rest) : this.#consumeBody(rest);
    }
  }

  #consumeHead(reader: AnswerHeadReader, bytes: Uint8Array): number {
    const taken = reader.push(bytes);
    if (!reader.head) return taken;
    const head = parseAnswerHead(reader.head, new TextDecoder(), this.#request.method);
    reader.reset();
    if (head.status === SWITCHING_PROTOCOLS)
      throw new Fault("hub_refused", "The hub switched to a protocol that was not requested");
    if (head.status >= 200) this.#beginBody(head); // RFC 9110 §15.2: another response follows an interim one
    return taken;
  }

  #beginBody(head: AnswerHead): void {
    this.#phase = bodyPhase(head.framing);
    this.#wait(this.#request.isSlowAccepted !== true);
    this.#sink.onHead(head);
    if (head.framing.kind === "none") this.#end(undefined);
  }

  #consumeBody(bytes: Uint8Array): number {
    if (this.#phase.phase !== "body") return bytes.length;
    const { reader } = this.#phase;
    if (!reader) {
      this.#sink.onBytes(bytes);
      return bytes.length;
    }
    const taken = reader.push(bytes, { write: (content) => this.#pass(content) });
    if (reader.isComplete) this.#end(undefined);
    return taken;
  }

  /** One read may hold several chunks, and the sink may have closed the exchange at the first. */
  #pass(content: Uint8Array): void {
    if (this.#phase.phase === "body") this.#sink.onBytes(content);
  }

  #onEnded(fault: Fault, isPeerEnd: boolean): void {
    const isWhole = isPeerEnd && this.#phase === UNTIL_CLOSE;
    this.#end(isWhole ? undefined : fault);
  }

  #end(fault: Fault | undefined): void {
    if (this.#phase.phase === "ended") return;
    this.close();
    this.#sink.onEnd(fault);
  }

  #unreachable(reason: string): Fault {
    return new Fault("hub_unreachable", `Cannot reach "${authorityOf(this.#request.to)}": ${reason}`);
  }
}

function bodyPhase(framing: AnswerFraming): Phase {
  if (framing.kind === "until_close" || framing.kind === "none") return UNTIL_CLOSE;
  return { phase: "body", reader: bodyReader(framing) };
}

function requestHead({ to, method, target, fields, fieldLines = "", body }: HttpRequest): string {
  let lines = `${method} ${target} HTTP/1.1\r\nhost: ${authorityOf(to)}\r\nconnection: close\r\n`;
  for (const [name, value] of Object.entries(fields)) lines += `${name}: ${value}\r\n`;
  lines += fieldLines;
  if (body) lines += `content-length: ${body.length}\r\n`;
  return `${lines}\r\n`;
}

// Sends one request with JSON in both directions to the hub's API, and throws the hub's errors.

interface JsonRequest {
  readonly address: HubAddress;
  readonly method: string;
  /** Below `/api/v1`, with the query: `/devices/register`. */
  readonly path: string;
  /** For `Authorization: Bearer`. */
  readonly token?: string;
  readonly body?: Json;
  /** Names of the response's members at any depth: see `protocol/json.ts`. */
  readonly names: readonly string[];
  /** Longest response; default {@link ANSWER_LIMIT_BYTES}. */
  readonly limitBytes?: number;
}

interface JsonResponse {
  readonly status: number;
  readonly fields: Fields;
  /** `undefined` without a body (204). */
  readonly body: Json | undefined;
}

/** @throws {Fault} `hub_unreachable`, `hub_refused`, `not_implemented` without TLS, or the hub's own error */
export function requestJson(ports: HubClientPorts, request: JsonRequest): Promise<JsonResponse> {
  return new JsonCall(ports, request).finished;
}

/** Like {@link requestJson}, for callers that need to cancel the request. */
export class JsonCall {
  /** Resolves to the response; rejects with a `Fault`. */
  readonly finished: Promise<JsonResponse>;
  readonly #request: JsonRequest;
  readonly #body: ByteCollector;
  readonly #exchange: HttpExchange;
  #head: AnswerHead | undefined;
  #resolve: (response: JsonResponse) => void = ignore;
  #reject: (fault: unknown) => void = ignore;

  /** Starts immediately. */
  constructor(ports: HubClientPorts, request: JsonRequest) {
    this.#request = request;
    this.#body = new ByteCollector(request.limitBytes ?? ANSWER_LIMIT_BYTES);
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#exchange = new HttpExchange(ports, toHttp(request), {
      onHead: (head) => {
        this.#head = head;
      },
      onBytes: (bytes) => this.#onBytes(bytes),
      onEnd: (fault) => this.#onEnd(fault),
    });
  }

  /** Cancels the request: `finished` rejects unless it has settled. May be called twice. */
  close(): void {
    this.#exchange.close();
    this.#reject(new Fault("hub_unreachable", "The request was cancelled"));
  }

  #onBytes(bytes: Uint8Array): void {
    this.#body.push(bytes);
    if (!this.#body.isOver) return;
    this.#exchange.close();
    this.#reject(new Fault("hub_refused", "The hub's response is too long"));
  }

  #onEnd(fault: Fault | undefined): void {
    if (fault || !this.#head) this.#reject(fault);
    else this.#settle(this.#head, this.#body.join());
  }

  #settle({ status, fields }: AnswerHead, body: Uint8Array): void {
    if (status >= 300) this.#reject(refusalFault({ status, fields, body }));
    else if (body.length === 0) this.#resolve({ status, fields, body: undefined });
    else this.#parse(status, fields, body);
  }

  #parse(status: number, fields: Fields, body: Uint8Array): void {
    const { names, limitBytes: byteLength = ANSWER_LIMIT_BYTES } = this.#request;
    try {
      this.#resolve({
        status,
        fields,
        body: new JsonReader({ byteLength, values: ANSWER_VALUES_LIMIT, names }).read(body),
      });
    } catch (cause) {
      this.#reject(new Fault("hub_refused", "The hub's response is not JSON", { cause }));
    }
  }
}

function toHttp({ address, method, path, token, body }: JsonRequest): HttpRequest {
  const fields: Record<string, string> = { accept: "application/json" };
  if (token !== undefined) fields["authorization"] = `Bearer ${token}`;
  const request = { to: address, method, target: address.apiPath + path, fields };
  if (body === undefined) return request;
  fields["content-type"] = "application/json";
  return { ...request, body: new TextEncoder().encode(JSON.stringify(body)) };
}

function ignore(): void {
  // Replaced by the promise's own functions in the constructor.
}
