/**
 * The platform interfaces of the client: HTTP and WebSocket (implemented over Node's `http` and over `fetch`), and a
 * serial port (over the serialport package and over Web Serial).
 */

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

/** A serial port as bytes in both directions. The code that opened the device file or the browser's port creates it. */
export interface SerialStream {
  /** Name of the port in messages: `usb:/dev/ttyACM0` if the user typed that, else "the serial port". */
  readonly address: string;

  /**
   * The caller awaits each call before the next.
   * @returns resolves once the port has accepted all bytes; rejects if the port is gone
   */
  write(bytes: Uint8Array): Promise<void>;

  /** Set by the session. Bytes that arrive earlier are buffered or lost. */
  onBytes: (bytes: Uint8Array) => void;

  /** Set by the session: the port is gone (with `error`) or was closed. Called at most once. */
  onClosed: (error?: Error) => void;

  /** May be called twice. Resolves once others can open the port. */
  close(): Promise<void>;
}
