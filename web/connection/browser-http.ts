/**
 * HTTP and WebSockets over the browser's APIs. Uploads use XMLHttpRequest, which reports progress and closes its
 * connection when it is aborted; other requests use `fetch`.
 */
import { DeviceError } from "../../device-client/device-error.js";
import type { HttpPort, HttpRequest, HttpResponse, SocketHandlers } from "../../device-client/host-ports.js";
import {
  addressSpaceOf,
  explainFailure,
  isAnsweredAt,
  isMixed,
  isNearByName,
  localNetworkPermission,
} from "./http-failure.js";

/** Slowest rate assumed for uploads without progress. */
const SLOWEST_BYTES_PER_MS = 10;

/**
 * Browsers open six connections to a console and keep them for a minute, but a console has eight in total. One for an
 * upload and one for all other requests leave room for other clients.
 */
const CONNECTIONS = 2;

export class BrowserHttp implements HttpPort {
  readonly #semaphore = new Semaphore(CONNECTIONS);

  send(request: HttpRequest): Promise<HttpResponse> {
    return this.#semaphore.run(() => this.#send(request));
  }

  async #send(request: HttpRequest): Promise<HttpResponse> {
    const target = new URL(request.url);
    try {
      return await (canShowProgress(request, target)
        ? sendWithProgress(request)
        : sendByFetch(request, target));
    } catch (cause) {
      if (cause instanceof DeviceError) throw await unlessAsked(target, cause);
      throw await failureAt(target, cause);
    }
  }

  openSocket(url: string, handlers: SocketHandlers): { close(): void } {
    try {
      return openWebSocket(url, handlers);
    } catch {
      // On a page from https, browsers block WebSockets over plain HTTP.
      queueMicrotask(handlers.onClosed);
      return { close: () => {} };
    }
  }
}

/** Only XMLHttpRequest reports upload progress, and only `fetch` can declare the address space. */
function canShowProgress({ body, onProgress }: HttpRequest, target: URL): boolean {
  if (body === undefined || onProgress === undefined) return false;
  return !isMixed(location.protocol, target) || isNearByName(target.hostname);
}

/** @throws the error of `fetch` if there is no answer; {DeviceError} `cancelled`, `device_timeout` */
async function sendByFetch(request: HttpRequest, target: URL): Promise<HttpResponse> {
  const { method, headers, body, timeoutMs, signal, onProgress } = request;
  const controller = new AbortController();
  const abort = () => controller.abort();
  const limitMs = timeoutMs + (body?.length ?? 0) / SLOWEST_BYTES_PER_MS;
  const timer = setTimeout(abort, limitMs);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  try {
    const init: RequestInit = {
      method,
      headers: { ...headers },
      signal: controller.signal,
      cache: "no-store",
    };
    if (body !== undefined) init.body = body as Uint8Array<ArrayBuffer>;
    if (isMixed(location.protocol, target))
      Object.assign(init, { targetAddressSpace: addressSpaceOf(target.hostname) }); // not in lib.dom yet
    const answer = await fetch(request.url, init);
    if (body !== undefined) onProgress?.(body.length);
    return await responseOf(answer);
  } catch (cause) {
    if (signal?.aborted) throw new DeviceError("cancelled", "The request was cancelled", { cause });
    if (!controller.signal.aborted) throw cause;
    const seconds = Math.round(limitMs / 1000);
    throw new DeviceError("device_timeout", `The console has not answered for ${seconds} s`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

async function responseOf(answer: Response): Promise<HttpResponse> {
  return {
    status: answer.status,
    mediaType: mediaTypeOf(answer.headers.get("content-type")),
    bytes: new Uint8Array(await answer.arrayBuffer()),
  };
}

async function failureAt(target: URL, cause: unknown): Promise<DeviceError> {
  const page = new URL(location.href);
  const isElsewhere = page.origin !== target.origin;
  const [permission, isAnswered] = await Promise.all([
    isElsewhere ? localNetworkPermission(addressSpaceOf(target.hostname)) : undefined,
    isElsewhere && isAnsweredAt(target),
  ]);
  return explainFailure({ page, target, permission, isAnswered }, cause);
}

/** A request may time out while the browser asks the user for permission. */
async function unlessAsked(target: URL, error: DeviceError): Promise<DeviceError> {
  const page = new URL(location.href);
  if (error.code !== "device_timeout" || page.origin === target.origin) return error;
  const permission = await localNetworkPermission(addressSpaceOf(target.hostname));
  if (permission !== "prompt") return error;
  return explainFailure({ page, target, permission, isAnswered: false }, error);
}

function openWebSocket(url: string, { onOpen, onText, onClosed }: SocketHandlers): { close(): void } {
  const socket = new WebSocket(url);
  let isOver = false;
  socket.onopen = () => isOver || onOpen();
  socket.onmessage = ({ data }) => isOver || typeof data !== "string" || onText(data);
  socket.onclose = () => {
    if (isOver) return;
    isOver = true;
    onClosed();
  };
  return {
    close: () => {
      isOver = true;
      socket.close();
    },
  };
}

/**
 * @throws {DeviceError} `cancelled`, `device_timeout`, `device_lost` after some bytes were sent; else a `TypeError`,
 *   like `fetch`
 */
function sendWithProgress(request: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    let sentBytes = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const fail = (error: DeviceError) => {
      reject(error);
      xhr.abort();
    };
    const onCancel = () => fail(new DeviceError("cancelled", "The upload was cancelled"));
    const waitAnew = () => {
      clearTimeout(timer);
      timer = setTimeout(() => fail(timeoutOf(request)), request.timeoutMs);
    };
    xhr.upload.onprogress = ({ loaded }) => {
      waitAnew();
      sentBytes = loaded;
      request.onProgress?.(loaded);
    };
    xhr.onload = () => resolve(responseOfXhr(xhr));
    xhr.onerror = () => reject(sentBytes > 0 ? lostAfter(sentBytes) : new TypeError("The request failed"));
    xhr.onloadend = () => {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", onCancel);
    };
    request.signal?.addEventListener("abort", onCancel);
    if (request.signal?.aborted) return onCancel();
    waitAnew();
    openXhr(xhr, request);
  });
}

function openXhr(xhr: XMLHttpRequest, { method, url, headers, body }: HttpRequest): void {
  xhr.open(method, url);
  xhr.responseType = "arraybuffer";
  for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
  xhr.send(body as Uint8Array<ArrayBuffer>);
}

function responseOfXhr(xhr: XMLHttpRequest): HttpResponse {
  return {
    status: xhr.status,
    mediaType: mediaTypeOf(xhr.getResponseHeader("content-type")),
    bytes: new Uint8Array(xhr.response as ArrayBuffer),
  };
}

function timeoutOf({ timeoutMs }: HttpRequest): DeviceError {
  const seconds = Math.round(timeoutMs / 1000);
  return new DeviceError(
    "device_timeout",
    `The console has received nothing and not answered for ${seconds} s`,
  );
}

function lostAfter(bytes: number): DeviceError {
  return new DeviceError("device_lost", `The connection was lost after ${bytes} bytes of the file`);
}

/** @returns the media type without parameters, in lower case; `""` if absent */
function mediaTypeOf(field: string | null): string {
  return (field ?? "").split(";", 1).join("").trim().toLowerCase();
}

/** A counting semaphore: a limited number of tasks at a time; the others wait in order. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** @param work started when fewer than `limit` tasks run */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next(); // takes over the slot
    }
  }
}
