/** Makes one call of the hub's API with JSON in both directions, and throws its errors. */
import { Fault } from "../protocol/fault.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import { JsonReader } from "../protocol/json.js";
import type { Json } from "../protocol/json-value.js";
import type { AnswerHead } from "./answer-head.js";
import { ByteCollector } from "./byte-collector.js";
import { HttpExchange, type HttpRequest } from "./http-client.js";
import { ANSWER_LIMIT_BYTES, ANSWER_VALUES_LIMIT } from "./limits.js";
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
    this.#reject(new Fault("hub_refused", "The hub answers with more than is taken"));
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
      this.#reject(new Fault("hub_refused", "The hub answers with what is not JSON", { cause }));
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
