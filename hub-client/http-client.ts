/**
 * One request over one connection, HTTP/1.1 (RFC 9112), whose response is delivered as it arrives. Redirects are
 * returned like every other response: a token must not follow them.
 *
 *   connecting --> head --complete--> body --complete--> ended
 *                  ^  |  (1xx)          |  (ends, fails, silent)
 *                  +--+                 +--------------> ended
 */
import { Fault } from "../protocol/fault.js";
import { type BodyReader, bodyReader } from "../protocol/http/body-reader.js";
import { type AnswerFraming, type AnswerHead, notHttp, parseAnswerHead } from "./answer-head.js";
import { AnswerHeadReader } from "./answer-head-reader.js";
import { Connection } from "./connection.js";
import { IdleTimeout } from "./idle-timeout.js";
import { READ_BYTES, SILENCE_TIMEOUT_MS } from "./limits.js";
import type { HubClientPorts } from "./ports.js";
import { authorityOf, type WebOrigin } from "./web-address.js";

export interface HttpRequest {
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
    if (head.status === SWITCHING) throw new Fault("hub_refused", "Another protocol was not asked for");
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
