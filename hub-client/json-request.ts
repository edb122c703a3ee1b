/** One call of the hub's API: JSON goes, JSON comes, refusals are thrown. */
import { Fault } from "../protocol/fault.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import { JsonReader } from "../protocol/json.js";
import type { Json } from "../protocol/json-value.js";
import type { AnswerHead } from "./answer-head.js";
import { ByteCollector } from "./byte-collector.js";
import { HttpExchange, type HttpRequest } from "./http-client.js";
import { ANSWER_LIMIT_BYTES } from "./limits.js";
import type { HubClientPorts } from "./ports.js";
import { refusalFault } from "./refusal.js";

export interface JsonRequest {
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

export interface JsonResponse {
  readonly status: number;
  /** `undefined` where there is none (204). */
  readonly body: Json | undefined;
}

interface WholeAnswer {
  readonly head: AnswerHead;
  readonly body: Uint8Array;
}

/** @throws {Fault} `hub_unreachable`, `hub_refused`, `not_implemented` without TLS, or what the hub says */
export async function requestJson(ports: HubClientPorts, request: JsonRequest): Promise<JsonResponse> {
  const limitBytes = request.limitBytes ?? ANSWER_LIMIT_BYTES;
  const { head, body } = await wholeAnswer(ports, toHttp(request), limitBytes);
  const { status, fields } = head;
  if (status >= 300) throw refusalFault({ status, fields, body });
  return { status, body: body.length === 0 ? undefined : parse(body, request.names, limitBytes) };
}

function toHttp({ address, method, path, token, body }: JsonRequest): HttpRequest {
  const fields: Record<string, string> = { accept: "application/json" };
  if (token !== undefined) fields["authorization"] = `Bearer ${token}`;
  const request = { to: address, method, target: address.apiPath + path, fields };
  if (body === undefined) return request;
  fields["content-type"] = "application/json";
  return { ...request, body: new TextEncoder().encode(JSON.stringify(body)) };
}

function wholeAnswer(ports: HubClientPorts, request: HttpRequest, limitBytes: number): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    const body = new ByteCollector(limitBytes);
    let head: AnswerHead;
    const exchange = new HttpExchange(ports, request, {
      onHead: (answerHead) => {
        head = answerHead;
      },
      onBytes: (bytes) => {
        body.push(bytes);
        if (!body.isOver) return;
        exchange.close();
        reject(new Fault("hub_refused", `The hub answers with more than ${limitBytes} bytes`));
      },
      onEnd: (fault) => (fault ? reject(fault) : resolve({ head, body: body.join() })),
    });
  });
}

function parse(bytes: Uint8Array, names: readonly string[], byteLength: number): Json {
  try {
    return new JsonReader({ byteLength, names }).read(bytes);
  } catch (cause) {
    throw new Fault("hub_refused", "The hub answers with what is not JSON", { cause });
  }
}
