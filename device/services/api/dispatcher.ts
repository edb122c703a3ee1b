/**
 * Finds the endpoint of a request in the table and makes its answer. HTTP and USB both call it; it is independent of
 * either.
 */

import { Fault, quoted } from "../../../protocol/fault.js";
import { requireRight } from "../auth/rights.js";
import { HEAP_NEEDS, type HeapAdmission, shortOfMemory } from "../heap/heap-admission.js";
import type { Logger } from "../logs/log-line.js";
import { storageFault } from "../storage/stored-files.js";
import { type Call, Parameters } from "./call.js";
import type { Route, Services } from "./endpoint.js";
import type { Answer, Api, Exchange, JsonAnswer, Request, Transport } from "./request.js";
import type { Routes } from "./routes.js";

/** Releases an answer that cannot be delivered: it counts as sent, so its announced action (a reboot) still happens. */
export function abandonAnswer(answer: Answer): void {
  if ("stream" in answer) answer.stream.close();
  answer.onSent?.();
}

/** Longest part of an unknown method that an error message repeats: the longest registered method has 17. */
const METHOD_LIMIT_CHARACTERS = 24;
const VERSIONED = "/api/v1/";
const NO_PARAMETERS: readonly never[] = Object.freeze([]);

export class Dispatcher implements Api {
  readonly #routes: Routes;
  readonly #services: Services;
  readonly #logger: Logger;
  readonly #heap: HeapAdmission | undefined;

  /** @param heap admits requests; left out: memory is unlimited */
  constructor(routes: Routes, services: Services, logger: Logger, heap?: HeapAdmission) {
    this.#routes = routes;
    this.#services = services;
    this.#logger = logger;
    this.#heap = heap;
  }

  open(request: Request): Exchange {
    if (this.#services.restart.isRequested) throw new Fault("busy", "The console is about to restart");
    const endpoint = this.#find(request);
    const parameters = new Parameters(endpoint.parameters ?? NO_PARAMETERS, request.parameters);
    requireRight(request, endpoint.right);
    // A running upload has its memory promised: none of its chunks is rejected.
    if ("receive" in endpoint) return endpoint.receive(this.#services, { request, parameters });
    if (this.#heap?.hasRoom(HEAP_NEEDS.request) === false) this.#makeRoom(this.#heap, request);
    return new BodilessCall(request, parameters, endpoint.handle, this.#services);
  }

  /**
   * The owner has priority: network connections are closed for them. What the home screen reads by itself is no wish of theirs.
   * @throws {Fault} `busy`
   */
  #makeRoom(heap: HeapAdmission, { transport, method }: Request): void {
    if (transport === "http" || (transport === "home" && method === "GET")) throw shortOfMemory();
    this.#services.uploads.endOthers?.();
    heap.require(HEAP_NEEDS.request);
  }

  answerTo(cause: unknown): JsonAnswer {
    const error = storageFault(cause, "Cannot store it");
    if (error instanceof Fault) return { status: error.status, body: { ...error.toBody() } };
    this.#logger.error(`unexpected ${describe(error)}`);
    const fault = new Fault("internal_error", "Internal error; see the console's log");
    return { status: fault.status, body: { ...fault.toBody() } };
  }

  methodsOf(path: string, transport: Transport): readonly string[] | undefined {
    const rows = this.#rowsOf(path)?.filter((row) => answersOn(row, transport));
    return rows?.length ? rows.map((row) => row.method) : undefined;
  }

  isForPage(method: string, path: string): boolean {
    const rows = this.#rowsOf(path);
    return rows !== undefined && rowOf(rows, method)?.right === "page";
  }

  #find({ method, path, transport }: Request): Route {
    const rows = this.#rowsOf(path);
    if (!rows) throw new Fault("not_found", `There is nothing at ${quoted(path)}`);
    const row = rowOf(rows, method);
    if (row && answersOn(row, transport)) return row;
    if (row || !rows.some((candidate) => answersOn(candidate, transport))) throw elsewhere(path, transport);
    throw new Fault(
      "method_not_allowed",
      `"${path}" does not support ${method.slice(0, METHOD_LIMIT_CHARACTERS)}`,
    );
  }

  #rowsOf(path: string): readonly Route[] | undefined {
    const rows = this.#routes.get(path);
    if (rows || !path.startsWith(VERSIONED)) return rows;
    return this.#routes.get(`/api/${path.slice(VERSIONED.length)}`);
  }
}

/** A call of an endpoint without a body, which is its exchange as well; the transport limits the body. */
class BodilessCall implements Call, Exchange {
  readonly ignoresBody = true;
  readonly request: Request;
  readonly parameters: Parameters;
  readonly #handle: (services: Services, call: Call) => Answer | Promise<Answer>;
  readonly #services: Services;

  constructor(
    request: Request,
    parameters: Parameters,
    handle: (services: Services, call: Call) => Answer | Promise<Answer>,
    services: Services,
  ) {
    this.request = request;
    this.parameters = parameters;
    this.#handle = handle;
    this.#services = services;
  }

  write(): void {
    // The endpoint declares no body, so its bytes are discarded.
  }

  end(): Answer | Promise<Answer> {
    return this.#handle(this.#services, this);
  }

  abort(): void {
    // No work has started.
  }
}

/** A loop, since `find` would allocate a closure for every request. */
function rowOf(rows: readonly Route[], method: string): Route | undefined {
  for (let index = 0; index < rows.length; index++) if (rows[index]?.method === method) return rows[index];
  return undefined;
}

function answersOn(row: Route, transport: Transport): boolean {
  return row.transport === undefined || row.transport === transport || transport === "home";
}

function elsewhere(path: string, transport: Transport): Fault {
  return transport === "usb"
    ? new Fault("wifi_only", `"${path}" is available over WiFi only`)
    : new Fault("usb_only", `"${path}" is available over USB only`);
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
