/** The core alone: a conversation without a socket, whose output a test reads and lets through. */
import { Conversation, type Line, type Shared } from "../../../../device/services/http/conversation.js";
import { HttpCodec } from "../../../../device/services/http/http-codec.js";
import { BearerAuthenticator, RequestGuard } from "../../../../device/services/http/request-guard.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { octets, sandbox } from "./head.js";
import { SampleApi } from "./sample-api.js";
import { SILENT_LOG } from "./served.js";

/** What a connection is for its conversation. */
class TestLine implements Line {
  readonly address = "192.0.2.7";
  readonly #decoder = new TextDecoder("latin1");
  readonly #waiting: string[] = [];
  #sent = "";
  /** Whether the network takes whatever is sent. */
  isOpen = true;
  /** How often the conversation has ended. */
  ends = 0;
  /** How often it took bytes again. */
  resumptions = 0;

  readonly output = {
    isEmpty: true,
    send: (bytes: Uint8Array) => this.#accept(bytes),
    sendKept: (bytes: Uint8Array) => this.#accept(bytes),
  };

  #accept(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes);
    if (this.isOpen) this.#sent += text;
    else this.#waiting.push(text);
    this.output.isEmpty = this.#waiting.length === 0;
  }

  resume(): void {
    this.resumptions++;
  }

  end(): void {
    this.ends++;
  }

  /** Lets through what waits. @returns how many bytes */
  drain(): number {
    const text = this.#waiting.splice(0).join("");
    this.#sent += text;
    this.output.isEmpty = true;
    return text.length;
  }

  /** Everything sent since the last call. */
  take(): string {
    const text = this.#sent;
    this.#sent = "";
    return text;
  }
}

export function converse(changes: Partial<Shared> = {}) {
  const clock = new EmulatedClock();
  const api = new SampleApi();
  const bearer = new BearerAuthenticator({ isRequired: false, token: { value: "" }, clock });
  const line = new TestLine();
  const shared: Shared = {
    api,
    clock,
    timer: clock,
    log: SILENT_LOG,
    codec: new HttpCodec(sandbox),
    guard: new RequestGuard({ api, bearer, rules: { allowedOrigins: [] } }),
    heap: undefined,
    memory: undefined,
    onClosed() {},
    ...changes,
  };
  const conversation = new Conversation(shared, line);
  const receive = (data: string | Uint8Array) =>
    conversation.receive(typeof data === "string" ? octets(data) : data);
  return { api, clock, line, conversation, receive };
}

const HOST = "Host: 127.0.0.1:8080\r\n";

/** Requests of each kind, and some that are refused. */
export const VALID = {
  "a GET": `GET /echo?a=b HTTP/1.1\r\n${HOST}\r\n`,
  "a GET after empty lines": `\r\n\r\nGET /echo HTTP/1.1\r\n${HOST}\r\n`,
  "a GET with unknown fields": `GET /echo HTTP/1.1\r\nA: b\r\n${HOST}C:\td \xff\r\nE:\r\n\r\n`,
  "a HEAD": `HEAD /hello HTTP/1.1\r\n${HOST}\r\n`,
  "an OPTIONS": `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
  "HTTP/1.0": `GET /echo HTTP/1.0\r\n${HOST}\r\n`,
  "HTTP/1.0 that stays": `GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n${HOST}\r\n`,
  "an absolute target": `GET http://a.local/echo HTTP/1.1\r\n${HOST}\r\n`,
  "a body of known length": `POST /echo HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nabcde`,
  "a chunked body": `POST /echo HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3;x="y;\\""\r\nabc\r\n00a\r\n0123456789\r\n0;z\r\nT: u\r\nV:\r\n\r\n`,
  "an empty chunked body": `POST /echo HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "a body with Expect: 100-continue": `POST /echo HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 5\r\n\r\nabcde`,
  "an unexpected body": `GET /hello HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nabcde`,
  "a request for an unknown path": `POST /nowhere HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nabcde`,
  "a request to close": `GET /echo HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
};

/** Everything that can be seen of a conversation that got `wire` in these pieces. */
export function playPieces(wire: Uint8Array, cuts: readonly number[] = []) {
  const { api, line, receive } = converse();
  const ends = [...cuts.map((cut) => Math.min(cut, wire.length)), wire.length].sort((a, b) => a - b);
  let start = 0;
  let taken = 0;
  for (const end of ends) {
    taken += receive(wire.subarray(start, end));
    start = end;
  }
  return { text: line.take(), events: api.events, isClosed: line.ends > 0, taken };
}
