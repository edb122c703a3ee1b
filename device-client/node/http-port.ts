/**
 * HTTP over Node's `http` with persistent connections, and the WebSocket over `ws`.
 *
 * A console may answer and close before it has read all of a file that it refuses: the answer counts, even if the rest
 * of the request fails.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from "node:http";
import { request as httpsRequest } from "node:https";
import type { WebSocket } from "ws";
import { DeviceError } from "../device-error.js";
import type { HttpPort, HttpRequest, HttpResponse, SocketHandlers } from "../http-port.js";
import { CuttableHttpsAgent, cutOff } from "./cut-connection.js";
import { httpError } from "./http-error.js";

/** A console takes eight connections in all. */
const CONNECTION_LIMIT = 4;
/** A console closes what was silent for 60 s. */
const SILENT_CONNECTION_MS = 50_000;
const KEPT = Object.freeze({
  keepAlive: true,
  maxSockets: CONNECTION_LIMIT,
  timeout: SILENT_CONNECTION_MS,
});
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Pieces of a body, small enough that progress is seen to go on. */
const PIECE_BYTES = 16 * 1024;
/** Of an answer: far more than any of a console's. */
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;

export class NodeHttpPort implements HttpPort {
  #http = new HttpAgent(KEPT);
  #https = new CuttableHttpsAgent(KEPT);

  async send(request: HttpRequest): Promise<HttpResponse> {
    try {
      return await this.#attempt(request);
    } catch (error) {
      // RFC 9112 §9.3.1: a kept connection may be closed by the console in the same moment in which it is used.
      if (!(error instanceof StaleConnection)) throw error;
      return this.#attempt(request);
    }
  }

  openSocket(url: string, { onOpen, onText, onClosed }: SocketHandlers) {
    let socket: WebSocket | undefined;
    let isOver = false;
    // Loaded with the first one, as most commands need none.
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
        cutOff(outgoing);
      };
      signal?.addEventListener("abort", cancel);
      outgoing.on("error", (error) => {
        if (isAnswered) return; // what is left of the body is of no use to the console
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
      if (error) return; // "error" says it
      sentBytes += piece.length;
      onAlive();
      onProgress?.(sentBytes); // the system has taken them: that the console has, its answer says
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
    if (byteLength > ANSWER_LIMIT_BYTES) throw new Error("The answer does not end");
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
