/** The platform interface of the HTTP transport: implemented over Node's `http` and over the browser's `fetch`. */

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Longest time without progress, in sending the body or receiving the answer. */
  readonly timeoutMs: number;
  /** Called with the number of body bytes sent so far, as far as the platform knows. */
  readonly onProgress?: ((sentBytes: number) => void) | undefined;
  /** Ends the request and its connection, so that the console discards what it has received. */
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** `content-type` without its parameters, in lower case; `""` if missing. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface SocketHandlers {
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
  /** Called once, even if the socket never opened; not after `close`. */
  readonly onClosed: () => void;
}

export interface HttpPort {
  /**
   * @returns the response, with any status
   * @throws {DeviceError} `device_unreachable`, `device_timeout`, `device_lost` if the connection breaks, `cancelled`,
   *   `not_a_console` if the response is not HTTP
   */
  send(request: HttpRequest): Promise<HttpResponse>;

  /** Opens a WebSocket. Left out if the platform has none; a socket that cannot be opened reports `onClosed`. */
  openSocket?(url: string, handlers: SocketHandlers): { close(): void };

  /** Closes persistent connections. */
  close?(): void;
}
