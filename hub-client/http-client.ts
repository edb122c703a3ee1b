/**
 * One request over one connection, HTTP/1.1 (RFC 9112), whose response is delivered as it arrives. Redirects are
 * returned like every other response: a token must not follow them.
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
import { ANSWER_LIMIT_BYTES, Connection, IdleTimeout, SILENCE_TIMEOUT_MS } from "./connection.js";
import type { HubClientPorts } from "./ports.js";
import { authorityOf, type WebOrigin } from "./web-address.js";

/** Bytes read from a socket at a time where a file comes: a flash sector. */
const READ_BYTES = 4096;

/** Values in such an answer, of any kind: 4096 bytes can hold 2,000, which as values of XS fill a console's heap. */
const ANSWER_VALUES_LIMIT = 128;

/** What a person is told of what a hub says of its refusals. */
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
  /** As it came; what is no error body of ours is a proxy's, and says nothing to us. */
  readonly body: Uint8Array;
}

/** Members of an error body, for readers that must know them beforehand. */
const REFUSAL_MEMBERS = Object.freeze(["error", "message"]);

const DEPTH_LIMIT = 4;
const VALUES_LIMIT = 64;
const DIGITS = /^[0-9]{1,9}$/;
const UNAUTHORIZED = 401;

/**
 * A list, and not the table itself, since XS keeps each name that it has ever looked for in an object: a hub that answers
 * with another code each time would fill its heap.
 */
const CODES: readonly string[] = Object.freeze(Object.keys(FAULT_STATUS));

/** The hub's own code where our table has it, else `unauthorized` for 401 and `hub_refused` for the rest. */
export function refusalFault({ status, fields, body }: Refusal): Fault {
  const said = readErrorBody(body);
  const waitS = retryAfterS(fields);
  const options = waitS === undefined ? undefined : { details: { retry_after_s: waitS } };
  const message = said?.message ?? `The hub answers with status ${status}`;
  if (said) return new Fault(said.code, message, options);
  return new Fault(status === UNAUTHORIZED ? "unauthorized" : "hub_refused", message, options);
}

/** Seconds (RFC 9110 §10.2.3), within reason; a date is of no use to who has no clock. */
export function retryAfterS(fields: Fields): number | undefined {
  const text = fields.list("retry-after");
  return text !== undefined && DIGITS.test(text) ? Math.min(Number(text), RETRY_AFTER_LIMIT_S) : undefined;
}

/** How long a fault of a hub wants us to wait, in milliseconds; 0 where it says nothing of that. */
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
    return undefined; // a page of a proxy, for people to read
  }
}

interface HttpRequest {
  readonly to: WebOrigin;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names in lower case, values in ASCII. `host`, `connection` and `content-length` are added. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Where the answer goes. None of it may throw. */
export interface AnswerSink {
  /** Comes once. */
  onHead(head: AnswerHead): void;
  /** The next bytes of the body, reused once this returns. */
  onBytes(bytes: Uint8Array): void;
  /**
   * Comes once and last, unless the exchange was closed.
   * @param fault `hub_unreachable`, `hub_refused` for what is no HTTP, `not_implemented` where there is no TLS;
   *   `undefined` after a whole answer
   */
  onEnd(fault: Fault | undefined): void;
}

type Phase =
  | { readonly phase: "connecting" }
  | { readonly phase: "head"; readonly reader: AnswerHeadReader }
  | { readonly phase: "body"; readonly reader: BodyReader | undefined }
  | { readonly phase: "ended" };

const CONNECTING: Phase = Object.freeze({ phase: "connecting" });
/** Of a body that ends with its connection. */
const UNTIL_CLOSE: Phase = Object.freeze({ phase: "body", reader: undefined });
const ENDED: Phase = Object.freeze({ phase: "ended" });

/** Once a connection is another protocol's, which was not asked for. */
const SWITCHING = 101;

export class HttpExchange {
  readonly #ports: HubClientPorts;
  readonly #request: HttpRequest;
  readonly #sink: AnswerSink;
  readonly #connection: Connection;
  #phase: Phase = CONNECTING;
  #silence: IdleTimeout | undefined;
  #isPaused = false;

  /** Begins at once; no callback runs inside. */
  constructor(ports: HubClientPorts, request: HttpRequest, sink: AnswerSink) {
    this.#ports = ports;
    this.#request = request;
    this.#sink = sink;
    this.#connection = new Connection({
      ...{ ports, to: request.to, readBytes: READ_BYTES },
      onConnected: () => this.#onConnected(),
      onReadable: () => this.#takeAll(),
      onEnded: (fault, isEnd) => this.#onEnded(fault, isEnd),
    });
  }

  /** Nothing more is read from the network until `resume`; bytes that were read may still come. */
  pause(): void {
    this.#isPaused = true;
    this.#silence?.close();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#phase.phase === "ended" || this.#phase.phase === "connecting") return;
    this.#listen();
    this.#ports.timer.set(() => this.#takeAll(), 0); // no callback runs inside
  }

  /** May be called twice; no callback follows. */
  close(): void {
    if (this.#phase.phase === "head") this.#phase.reader.reset();
    this.#phase = ENDED;
    this.#silence?.close();
    this.#connection.close();
  }

  #onConnected(): void {
    this.#phase = { phase: "head", reader: new AnswerHeadReader(this.#ports.memory) };
    if (!this.#isPaused) this.#listen();
    const { body } = this.#request;
    this.#connection.send(new TextEncoder().encode(requestHead(this.#request)));
    if (body) this.#connection.send(body);
  }

  #listen(): void {
    this.#silence?.close();
    const { timer, clock } = this.#ports;
    const onSilent = () => this.#end(this.#unreachable("nothing was heard in time"));
    this.#silence = new IdleTimeout({ timer, clock, limitMs: SILENCE_TIMEOUT_MS, onSilent });
  }

  #takeAll(): void {
    try {
      while (this.#phase.phase !== "ended" && !this.#isPaused) {
        const bytes = this.#connection.next();
        if (!bytes) return;
        this.#silence?.heard();
        this.#take(bytes);
      }
    } catch (error) {
      this.#end(error instanceof Fault && error.code === "hub_refused" ? error : notHttp(error));
    }
  }

  #take(bytes: Uint8Array): void {
    let taken = 0;
    while (taken < bytes.length && this.#phase.phase !== "ended") {
      const rest = bytes.subarray(taken);
      taken += this.#phase.phase === "head" ? this.#takeHead(this.#phase.reader, rest) : this.#takeBody(rest);
    }
  }

  #takeHead(reader: AnswerHeadReader, bytes: Uint8Array): number {
    const taken = reader.push(bytes);
    if (!reader.head) return taken;
    const head = parseAnswerHead(reader.head, new TextDecoder(), this.#request.method);
    reader.reset();
    if (head.status === SWITCHING)
      throw new Fault("hub_refused", "The hub switches to a protocol that was not requested");
    if (head.status >= 200) this.#beginBody(head); // RFC 9110 §15.2: an interim answer is followed by another
    return taken;
  }

  #beginBody(head: AnswerHead): void {
    this.#phase = bodyPhase(head.framing);
    this.#sink.onHead(head);
    if (head.framing.kind === "none") this.#end(undefined);
  }

  #takeBody(bytes: Uint8Array): number {
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

  /** One read may hold several chunks, and the first of them may have ended it all. */
  #pass(content: Uint8Array): void {
    if (this.#phase.phase === "body") this.#sink.onBytes(content);
  }

  #onEnded(fault: Fault, isEnd: boolean): void {
    const isWhole = isEnd && this.#phase === UNTIL_CLOSE;
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

function requestHead({ to, method, target, fields, body }: HttpRequest): string {
  let lines = `${method} ${target} HTTP/1.1\r\nhost: ${authorityOf(to)}\r\nconnection: close\r\n`;
  for (const [name, value] of Object.entries(fields)) lines += `${name}: ${value}\r\n`;
  if (body) lines += `content-length: ${body.length}\r\n`;
  return `${lines}\r\n`;
}

// Makes one call of the hub's API with JSON in both directions, and throws its errors.

interface JsonRequest {
  readonly address: HubAddress;
  readonly method: string;
  /** Below `/api/v1`, with the query: `/devices/register`. */
  readonly path: string;
  /** For `Authorization: Bearer`. */
  readonly token?: string;
  readonly body?: Json;
  /** Names of the members of the answer, at whatever depth: see `protocol/json.ts`. */
  readonly names: readonly string[];
  /** Longest answer. */
  readonly limitBytes?: number;
}

interface JsonResponse {
  readonly status: number;
  /** `undefined` where there is none (204). */
  readonly body: Json | undefined;
}

/** @throws {Fault} `hub_unreachable`, `hub_refused`, `not_implemented` without TLS, or what the hub says */
export function requestJson(ports: HubClientPorts, request: JsonRequest): Promise<JsonResponse> {
  return new JsonCall(ports, request).finished;
}

/** The same for who may have to stop it. */
export class JsonCall {
  /** Settles with the answer, or with a `Fault`. */
  readonly finished: Promise<JsonResponse>;
  readonly #request: JsonRequest;
  readonly #body: ByteCollector;
  readonly #exchange: HttpExchange;
  #head: AnswerHead | undefined;
  #resolve: (response: JsonResponse) => void = ignore;
  #reject: (fault: unknown) => void = ignore;

  /** Begins at once. */
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

  /** Stops it: `finished` fails unless it has settled. May be called twice. */
  close(): void {
    this.#exchange.close();
    this.#reject(new Fault("hub_unreachable", "The request was stopped"));
  }

  #onBytes(bytes: Uint8Array): void {
    this.#body.push(bytes);
    if (!this.#body.isOver) return;
    this.#exchange.close();
    this.#reject(new Fault("hub_refused", "The hub's answer is too long"));
  }

  #onEnd(fault: Fault | undefined): void {
    if (fault || !this.#head) this.#reject(fault);
    else this.#settle(this.#head, this.#body.join());
  }

  #settle({ status, fields }: AnswerHead, body: Uint8Array): void {
    if (status >= 300) this.#reject(refusalFault({ status, fields, body }));
    else if (body.length === 0) this.#resolve({ status, body: undefined });
    else this.#parse(status, body);
  }

  #parse(status: number, body: Uint8Array): void {
    const { names, limitBytes: byteLength = ANSWER_LIMIT_BYTES } = this.#request;
    try {
      this.#resolve({
        status,
        body: new JsonReader({ byteLength, values: ANSWER_VALUES_LIMIT, names }).read(body),
      });
    } catch (cause) {
      this.#reject(new Fault("hub_refused", "The hub's answer is not JSON", { cause }));
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
  // In the place of what a promise brings.
}
