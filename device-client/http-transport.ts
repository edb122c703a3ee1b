/**
 * Transport to a console on the network (docs/spec/http.md), and its address as users type it.
 */
import { type ClientClock, systemClock } from "./clock.js";
import { bodyOf } from "./device.js";
import { DeviceError } from "./device-error.js";
import type { HttpPort, HttpRequest, HttpResponse } from "./host-ports.js";
import { HttpLog } from "./http-log.js";
import { tokenText } from "./token-text.js";
import {
  ANSWER_TIMEOUT_MS,
  type DeviceAnswer,
  type DeviceRequest,
  type FileUpload,
  MEDIA_TYPES,
  type MediaRequest,
  type Transport,
  WORK_TIMEOUT_MS,
} from "./transport.js";

interface HttpTransportOptions {
  /** As {@link consoleOrigin} makes it: `http://192.168.1.20:8080`. */
  readonly address: string;
  /** Owned by the transport from now on: `close` closes it. */
  readonly port: HttpPort;
  /** Bearer token, for consoles that require one. */
  readonly token?: string | undefined;
  readonly clock?: ClientClock;
}

type Parameters = Readonly<Record<string, string>>;
type Exchange = Omit<HttpRequest, "url" | "headers">;

export class HttpTransport implements Transport {
  readonly kind = "http";
  readonly address: string;
  /** HTTP has no permanent connection to lose: resolves only after `close`. */
  readonly closed: Promise<Error | undefined>;
  readonly #port: HttpPort;
  readonly #token: string | undefined;
  readonly #clock: ClientClock;
  readonly #logs = new Set<HttpLog>();
  readonly #ended = new AbortController();
  #settleClosed: () => void = () => {};

  constructor({ address, port, token, clock = systemClock }: HttpTransportOptions) {
    this.address = address;
    this.#port = port;
    this.#token = tokenText(token ?? "") || undefined;
    this.#clock = clock;
    this.closed = new Promise((resolve) => {
      this.#settleClosed = () => resolve(undefined);
    });
  }

  get isOwner(): boolean {
    return this.#token !== undefined;
  }

  async request(request: DeviceRequest): Promise<DeviceAnswer> {
    const { method, path, parameters, timeoutMs = ANSWER_TIMEOUT_MS, signal } = request;
    return this.#answerOf(await this.#send(path, parameters, { method, timeoutMs, signal }));
  }

  /** Sends the file as one body; if the connection ends early, the console discards it immediately. */
  async upload({ path, parameters, file, onProgress, signal }: FileUpload): Promise<DeviceAnswer> {
    const exchange = { method: "POST", body: file, timeoutMs: WORK_TIMEOUT_MS, onProgress, signal } as const;
    const answer = this.#answerOf(await this.#send(path, parameters, exchange));
    if (answer.status === 200) onProgress?.(file.length);
    return answer;
  }

  async media({ path, parameters, format, signal }: MediaRequest): Promise<Uint8Array> {
    const exchange = { method: "GET", timeoutMs: ANSWER_TIMEOUT_MS, signal } as const;
    const response = await this.#send(path, parameters, exchange);
    if (response.status === 200 && response.mediaType === MEDIA_TYPES[format]) return response.bytes;
    bodyOf(this.#answerOf(response));
    throw new DeviceError("answer_invalid", "The console's answer is no picture or sound");
  }

  followLog(onLine: (line: string) => void): () => void {
    const log = new HttpLog({
      port: this.#port,
      clock: this.#clock,
      onLine,
      request: async (path, parameters = {}) =>
        bodyOf(await this.request({ method: "GET", path, parameters })),
      socketUrl: (port) => this.#socketUrl(port),
    });
    this.#logs.add(log);
    return () => {
      this.#logs.delete(log);
      log.close();
    };
  }

  /** No-op: a console sends no status events over HTTP. */
  onStatus(): () => void {
    return () => {};
  }

  async close(): Promise<void> {
    for (const log of this.#logs) log.close();
    this.#logs.clear();
    this.#ended.abort();
    this.#port.close?.();
    this.#settleClosed();
  }

  /** Aborted by the signal and by `close`. */
  async #send(path: string, parameters: Parameters | undefined, exchange: Exchange): Promise<HttpResponse> {
    const ending = new AbortController();
    const end = () => ending.abort();
    const signals = [this.#ended.signal, ...(exchange.signal ? [exchange.signal] : [])];
    for (const signal of signals) signal.addEventListener("abort", end);
    if (signals.some(({ aborted }) => aborted)) end();
    try {
      const headers: Record<string, string> = this.#token ? { authorization: `Bearer ${this.#token}` } : {};
      const url = this.#urlOf(path, parameters);
      return await this.#port.send({ ...exchange, url, headers, signal: ending.signal });
    } catch (error) {
      if (!this.#ended.signal.aborted) throw error;
      throw new DeviceError("device_lost", `The connection to ${this.address} was closed`, { cause: error });
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", end);
    }
  }

  #urlOf(path: string, parameters: Parameters = {}): string {
    const pairs = Object.entries(parameters).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
    );
    return this.address + path + (pairs.length > 0 ? `?${pairs.join("&")}` : "");
  }

  #socketUrl(port: number): string {
    const url = new URL("/ws", this.address);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.port = String(port);
    if (this.#token) url.searchParams.set("token", this.#token);
    return url.href;
  }

  #answerOf({ status, mediaType, bytes }: HttpResponse): DeviceAnswer {
    const body = mediaType === "application/json" ? parse(bytes) : undefined;
    if (body !== undefined) return { status, body };
    throw new DeviceError("not_a_console", `The device at ${this.address} is not a console`);
  }
}

/** @returns `undefined`, which is not a JSON value, for invalid JSON */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined; // the caller decides
  }
}

/** HTTP port (docs/spec/http.md). */
export const HTTP_PORT = 8080;

/** Scheme, bracketed or plain host, port. */
const ADDRESS =
  /^(?:(https?):\/\/)?(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?))(?::([0-9]{1,5}))?\/?$/i;

/**
 * Converts a URL, host name or numeric address, with or without a port, to an origin such as
 * `http://192.168.1.20:8080`. If the port is missing, it is the default of the scheme, or without a scheme {@link
 * HTTP_PORT}.
 *
 * @throws {DeviceError} `device_not_found` for an invalid address
 */
export function consoleOrigin(text: string): string {
  const [, scheme, bracketed, plain, digits] = ADDRESS.exec(text.trim()) ?? [];
  const port = Number(digits ?? (scheme === undefined ? HTTP_PORT : 0));
  const host = bracketed === undefined ? plain : `[${bracketed}]`;
  if (host === undefined || port > 65535 || (digits !== undefined && port === 0))
    throw new DeviceError(
      "device_not_found",
      `"${text}" is not the address of a console, such as "http://192.168.1.20:8080" or "console-1a2b.local"`,
    );
  return new URL(`${scheme ?? "http"}://${host}${port === 0 ? "" : `:${port}`}`).origin;
}
