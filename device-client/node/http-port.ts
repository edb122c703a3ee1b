/**
 * HTTP over Node's `http` with persistent connections, and the WebSocket over `ws`.
 *
 * A console may answer and close before it has read all of a file that it rejects: the answer counts, even if the
 * rest of the request fails.
 *
 * A cancelled request resets its connection. After a normal close the system still delivers all buffered data; if
 * that is the rest of a file, the console installs what the user has just cancelled.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from "node:https";
import { connect, type NetConnectOpts, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { DeviceError } from "../device-error.js";
import type { HttpPort, HttpRequest, HttpResponse, SocketHandlers } from "../host-ports.js";

/** A console accepts eight connections in all. */
const CONNECTION_LIMIT = 4;
/** Idle connections close earlier than at the console, which closes them after 60 s. */
const SILENT_CONNECTION_MS = 50_000;
const KEPT = Object.freeze({
  keepAlive: true,
  maxSockets: CONNECTION_LIMIT,
  timeout: SILENT_CONNECTION_MS,
});
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Bytes of a body per write: small enough for a smooth progress display. */
const PIECE_BYTES = 16 * 1024;
/** Longest answer: far more than a console sends. */
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;

export class NodeHttpPort implements HttpPort {
  #http = new HttpAgent(KEPT);
  #https = new ResettableHttpsAgent(KEPT);

  async send(request: HttpRequest): Promise<HttpResponse> {
    try {
      return await this.#attempt(request);
    } catch (error) {
      // RFC 9112 §9.3.1: the console may close a persistent connection at the moment when it is reused.
      if (!(error instanceof StaleConnection)) throw error;
      return this.#attempt(request);
    }
  }

  openSocket(url: string, { onOpen, onText, onClosed }: SocketHandlers) {
    let socket: WebSocket | undefined;
    let isOver = false;
    // Loaded with the first WebSocket: most commands need none.
    import("ws").then(({ WebSocket }) => {
      if (isOver) return;
      socket = new WebSocket(url, { handshakeTimeout: HANDSHAKE_TIMEOUT_MS, perMessageDeflate: false });
      socket.on("open", () => isOver || onOpen());
      socket.on("message", (data) => isOver || onText(String(data)));
      socket.on("error", () => {}); // "close" follows
      socket.on("close", () => isOver || onClosed());
    });
    return {
      close() {
        isOver = true;
        socket?.terminate();
      },
    };
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #attempt(request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const { method, url, headers, body, timeoutMs, signal } = request;
      if (signal?.aborted) return reject(cancelled(request));
      const isSecure = url.startsWith("https:");
      const open = isSecure ? httpsRequest : httpRequest;
      const outgoing = open(url, {
        method,
        agent: isSecure ? this.#https : this.#http,
        headers: { ...headers, ...(method === "POST" && { "content-length": body?.length ?? 0 }) },
      });
      let isAnswered = false;
      const timer = setTimeout(() => end(timedOut(request)), timeoutMs);
      const cancel = () => end(cancelled(request));
      const settle = (outcome: HttpResponse | Error) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", cancel);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const end = (error: Error) => {
        settle(error);
        resetConnection(outgoing);
      };
      signal?.addEventListener("abort", cancel);
      outgoing.on("error", (error) => {
        if (isAnswered) return; // the console no longer needs the rest of the body
        const isStale = method === "GET" && outgoing.reusedSocket;
        settle(isStale ? new StaleConnection() : httpError(error, url));
      });
      outgoing.on("response", (incoming) => {
        isAnswered = true;
        readAnswer(incoming, () => timer.refresh()).then(settle, (error) => end(httpError(error, url)));
      });
      writeBody(outgoing, request, () => timer.refresh());
    });
  }
}

class StaleConnection extends Error {}

function writeBody(
  outgoing: ClientRequest,
  { body = new Uint8Array(0), onProgress }: HttpRequest,
  onAlive: () => void,
): void {
  let sentBytes = 0;
  const writeNext = () => {
    if (outgoing.destroyed || outgoing.writableEnded) return;
    if (sentBytes === body.length) return outgoing.end();
    const piece = body.subarray(sentBytes, sentBytes + PIECE_BYTES);
    outgoing.write(piece, (error) => {
      if (error) return; // the "error" event reports it
      sentBytes += piece.length;
      onAlive();
      onProgress?.(sentBytes); // accepted by the system; only the answer confirms that the console has them
      writeNext();
    });
  };
  writeNext();
}

async function readAnswer(incoming: IncomingMessage, onAlive: () => void): Promise<HttpResponse> {
  const pieces = [];
  let byteLength = 0;
  for await (const piece of incoming) {
    onAlive();
    pieces.push(piece);
    byteLength += piece.length;
    if (byteLength > ANSWER_LIMIT_BYTES) throw new Error("The answer is too long");
  }
  const mediaType = (incoming.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return { status: incoming.statusCode ?? 0, mediaType, bytes: Buffer.concat(pieces) };
}

function cancelled({ method, url }: HttpRequest): DeviceError {
  return new DeviceError("cancelled", `${method} ${pathOf(url)} was cancelled`);
}

function timedOut({ method, url, timeoutMs }: HttpRequest): DeviceError {
  const { origin } = new URL(url);
  const message = `${origin} has not answered ${method} ${pathOf(url)} within ${timeoutMs / 1000} s`;
  return new DeviceError("device_timeout", message);
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}

/** Reasons why no connection could be established, by Node's code. */
const UNREACHABLE: Readonly<Record<string, string>> = Object.freeze({
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to its network",
  EHOSTDOWN: "the host is down",
  EADDRNOTAVAIL: "no route to the host",
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "the name server does not answer",
  EACCES: "blocked by this computer",
  EPERM: "blocked by this computer",
});

/** Prefix of the codes for messages that Node's parser rejects. */
const NOT_HTTP = "HPE_";

function httpError(error: Error, url: string): DeviceError {
  const { origin } = new URL(url);
  const code = codeOf(error);
  const options = { cause: error };
  if (Object.hasOwn(UNREACHABLE, code))
    return new DeviceError("device_unreachable", `Cannot reach ${origin}: ${UNREACHABLE[code]}`, options);
  if (code === "ETIMEDOUT")
    return new DeviceError("device_unreachable", `Cannot reach ${origin}: no answer`, options);
  if (code.startsWith(NOT_HTTP))
    return new DeviceError("not_a_console", `The device at ${origin} is not a console`, options);
  return new DeviceError("device_lost", `The connection to ${origin} broke: ${error.message}`, options);
}

/** If several addresses were tried, the code for the first one. */
function codeOf(error: Error): string {
  const { code, errors } = error as NodeJS.ErrnoException & { readonly errors?: readonly Error[] };
  const [first] = errors ?? [];
  return code ?? (first ? codeOf(first) : "");
}

/** The TCP socket of each TLS socket: Node can reset only TCP. */
const tcpSockets: WeakMap<object, Socket> = new WeakMap();

/** An HTTPS agent whose connections {@link resetConnection} can reset. */
export class ResettableHttpsAgent extends HttpsAgent {
  override createConnection(
    options: RequestOptions & NetConnectOpts,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const socket = connect(options);
    const layered = { ...options, socket }; // a TLS option that the types of HTTPS lack
    const secured = super.createConnection(layered, callback);
    if (secured) tcpSockets.set(secured, socket);
    return secured;
  }
}

/** Ends a request and resets its connection: undelivered data is dropped. */
export function resetConnection(request: ClientRequest): void {
  const { socket } = request;
  const tcpSocket = socket && (tcpSockets.get(socket) ?? socket);
  if (tcpSocket instanceof Socket) tcpSocket.resetAndDestroy();
  request.destroy();
}
