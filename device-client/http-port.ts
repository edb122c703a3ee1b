/** The platform interface of the HTTP transport: implemented over Node's `http` and over the browser's `fetch`. */

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** How long nothing may happen: neither bytes of the body taken nor an answer that goes on. */
  readonly timeoutMs: number;
  /** Called with the bytes of the body that have left, as far as the platform knows. */
  readonly onProgress?: ((sentBytes: number) => void) | undefined;
  /** Ends the request and its connection, so that the console forgets what it has got. */
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** `content-type` without its parameters, in lower case; `""` where there is none. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface SocketHandlers {
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
  /** Once, also for one that never opened; not after `close`. */
  readonly onClosed: () => void;
}

export interface HttpPort {
  /**
   * @returns whatever is answered, whatever the status
   * @throws {DeviceError} `device_unreachable`, `device_timeout`, `device_lost` in the middle, `cancelled`,
   *   `not_a_console` where the answer is not HTTP
   */
  send(request: HttpRequest): Promise<HttpResponse>;

  /** A WebSocket. Left out where there is none; one that may not be opened closes. */
  openSocket?(url: string, handlers: SocketHandlers): { close(): void };

  /** Gives connections back that are kept open. */
  close?(): void;
}
