/** A server over an emulated network and clock, and a reader of its answers. */
import type { HeapAdmission } from "../../../../device/services/heap/heap-admission.js";
import { HttpCodec } from "../../../../device/services/http/http-codec.js";
import { HttpServer } from "../../../../device/services/http/http-server.js";
import { BearerAuthenticator, RequestGuard } from "../../../../device/services/http/request-guard.js";
import type { Logger } from "../../../../device/services/logs/log-line.js";
import type { Sandbox } from "../../../../protocol/ports/sandbox.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { type ConnectOptions, EmulatedTcp } from "./emulated-tcp.js";
import { sandbox as parser } from "./head.js";
import { SampleApi } from "./sample-api.js";

export const SILENT_LOG: Logger = { debug() {}, info() {}, warning() {}, error() {} };

export interface ServeOptions {
  readonly allowedOrigins?: readonly string[];
  /** Scheduler auth on. */
  readonly token?: string;
  readonly heap?: HeapAdmission;
  readonly sandbox?: Sandbox;
}

export function serve({ allowedOrigins = [], token, heap, sandbox = parser }: ServeOptions = {}) {
  const clock = new EmulatedClock();
  const tcp = new EmulatedTcp();
  const api = new SampleApi();
  const bearer = new BearerAuthenticator({
    isRequired: token !== undefined,
    token: { value: token ?? "" },
    clock,
  });
  const server = new HttpServer({
    tcp,
    api,
    guard: new RequestGuard({ api, bearer, rules: { allowedOrigins } }),
    clock,
    codec: new HttpCodec(sandbox),
    timer: clock,
    log: SILENT_LOG,
    port: 8080,
    ...(heap && { heap }),
  });
  const connect = (options?: ConnectOptions) => {
    const peer = tcp.connect(options);
    clock.advance(0); // where places are short, it is admitted a turn later
    peer.settle();
    return peer;
  };
  return { api, clock, server, tcp, connect };
}

export interface Response {
  readonly status: number;
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
  /** The body as JSON. */
  readonly json: Record<string, unknown>;
}

/** Splits what came over a connection into responses. @param hasBody false for answers to HEAD */
export function readResponses(text: string, hasBody = true): Response[] {
  const responses: Response[] = [];
  let rest = text;
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) throw new Error(`Cannot find the end of a head in ${JSON.stringify(rest)}`);
    const [statusLine = "", ...lines] = rest.slice(0, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 ([0-9]{3}) [ -~]+$/.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) throw new Error(`"${statusLine}" is not a status line`);
    const fields = new Map(lines.map((line) => line.split(": ", 2) as [string, string]));
    const bytes = new TextEncoder().encode(rest.slice(end + 4));
    const byteLength = hasBody ? Number(fields.get("content-length") ?? 0) : 0;
    if (byteLength > bytes.length) throw new Error("The body is not complete");
    const body = new TextDecoder().decode(bytes.subarray(0, byteLength));
    responses.push({
      status,
      fields,
      body,
      get json() {
        return JSON.parse(body);
      },
    });
    rest = new TextDecoder().decode(bytes.subarray(byteLength));
  }
  return responses;
}

/** The only response in `text`. */
export function readResponse(text: string, hasBody = true): Response {
  const [response, ...more] = readResponses(text, hasBody);
  if (!response || more.length > 0) throw new Error(`Cannot find one response in ${JSON.stringify(text)}`);
  return response;
}
