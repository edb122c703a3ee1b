/** An API for tests of the transport: it records its requests, and has an endpoint of each kind. */
import type {
  Answer,
  Api,
  ByteStream,
  Exchange,
  JsonAnswer,
  Request,
} from "../../../../device/services/api/request.js";
import { Fault } from "../../../../protocol/fault.js";

export class SampleApi implements Api {
  /** What happened, in order: `open GET /echo`, `end`, `abort`, `sent`. */
  readonly events: string[] = [];
  /** Settles answers of `/later`. */
  readonly later: ((answer: Answer) => void)[] = [];
  /** What `/streamed` answers with, and `/measured`, where its length is known. */
  stream: ByteStream | undefined;
  streamByteLength: number | undefined;

  open(request: Request): Exchange {
    this.events.push(`open ${request.method} ${request.path}`);
    const methods = this.methodsOf(request.path);
    if (!methods) throw new Fault("not_found", `There is nothing at "${request.path}"`);
    if (!methods.includes(request.method)) throw new Fault("method_not_allowed", "Not like this");
    return new SampleExchange(this, request);
  }

  answerTo(error: unknown): JsonAnswer {
    if (error instanceof Fault) return { status: error.status, body: { ...error.toBody() } };
    this.events.push(`unexpected ${error}`);
    return { status: 500, body: { error: "internal_error", message: String(error) } };
  }

  methodsOf(path: string): readonly string[] | undefined {
    return METHODS[path];
  }

  isForPage(method: string, path: string): boolean {
    return method === "GET" && path === "/measured";
  }
}

const METHODS: Readonly<Record<string, readonly string[]>> = {
  "/": ["GET", "POST", "PUT"],
  "/echo": ["GET", "POST"],
  "/hello": ["GET"],
  "/later": ["GET"],
  "/large": ["GET"],
  "/picture": ["GET"],
  "/streamed": ["GET"],
  "/measured": ["GET", "POST"],
  "/picky": ["POST"],
  "/broken": ["GET"],
  "/umlaut": ["GET"],
  "/final": ["GET"],
};

class SampleExchange implements Exchange {
  readonly ignoresBody: boolean;
  readonly #api: SampleApi;
  readonly #request: Request;
  readonly #decoder = new TextDecoder();
  #text = "";
  #byteLength = 0;

  constructor(api: SampleApi, request: Request) {
    this.#api = api;
    this.#request = request;
    this.ignoresBody = request.path === "/hello";
  }

  write(bytes: Uint8Array): void {
    this.#byteLength += bytes.length;
    if (this.#text.length < 100) this.#text += this.#decoder.decode(bytes, { stream: true });
    if (this.#request.path === "/picky") throw new Fault("media_type_unsupported", "Not such bytes");
  }

  end(): Answer | Promise<Answer> {
    this.#api.events.push("end");
    const onSent = () => void this.#api.events.push("sent");
    switch (this.#request.path) {
      case "/later":
        return new Promise((resolve) => this.#api.later.push(resolve));
      case "/large":
        return { status: 200, body: "x".repeat(50_000), onSent };
      case "/picture":
        return {
          status: 200,
          mediaType: "image/png",
          bytes: new Uint8Array(20_000).fill(0x2e),
          field: "png",
        };
      case "/streamed":
        if (!this.#api.stream) throw new Error("The test has no stream");
        return { status: 200, mediaType: "image/png", stream: this.#api.stream, field: "png", onSent };
      case "/measured":
        return this.#measured(onSent);
      case "/final":
        return { status: 200, body: null, isFinal: true, onSent };
      case "/broken":
        throw new TypeError("a bug");
      case "/umlaut":
        return { status: 200, body: "ä".repeat(1000) };
      default:
        return { status: 200, body: this.#echo(), onSent };
    }
  }

  #measured(onSent: () => void): Answer {
    const { stream, streamByteLength: byteLength } = this.#api;
    if (!stream || byteLength === undefined) throw new Error("The test has no stream of known length");
    const fieldLines = "content-encoding: gzip\r\n";
    return { status: 200, mediaType: "text/html", stream, byteLength, fieldLines, field: "page", onSent };
  }

  abort(): void {
    this.#api.events.push("abort");
  }

  #echo() {
    const { method, path, parameters, bodyByteLength, signature, mediaType } = this.#request;
    return {
      method,
      path,
      parameters: Object.fromEntries(parameters),
      body_length: bodyByteLength ?? "chunked",
      received: this.#byteLength,
      text: this.#text,
      ...(signature !== undefined && { signature }),
      ...(mediaType !== undefined && { media_type: mediaType }),
    };
  }
}
