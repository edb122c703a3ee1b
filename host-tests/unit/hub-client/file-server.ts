/** A server of one file over node:http, which answers ranges as in RFC 9110, and cuts where a test sets it. */
import { createHash } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly authorization: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

interface Tls {
  readonly cert: string;
  readonly key: string;
}

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => boolean;

export class FileServer implements AsyncDisposable {
  readonly asked: Asked[] = [];
  file: Uint8Array;
  /** Bytes of body after which a connection is cut. */
  cutBytes = Number.POSITIVE_INFINITY;
  /** In place of the usual answer; @returns whether it has answered. */
  answer: Answer = () => false;
  readonly server: Server;
  readonly #isSecure: boolean;

  private constructor(file: Uint8Array, tls: Tls | undefined) {
    this.file = file;
    const onRequest: RequestListener = (request, response) => this.#onRequest(request, response);
    this.#isSecure = tls !== undefined;
    this.server = tls ? createSecureServer(tls, onRequest) : createServer(onRequest);
  }

  /** @param tls certificate and key, in PEM */
  static async of(file: Uint8Array, tls?: Tls): Promise<FileServer> {
    const server = new FileServer(file, tls);
    await new Promise<void>((resolve) => server.server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get origin(): string {
    return `http${this.#isSecure ? "s" : ""}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get sha256(): string {
    return createHash("sha256").update(this.file).digest("hex");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { authorization, range, "if-range": ifRange } = request.headers;
    this.asked.push({ authorization, range, ifRange: ifRange as string | undefined });
    if (!this.answer(request, response, this.asked.length)) this.serve(request, response);
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const tag = `"${this.sha256}"`;
    response.setHeader("etag", tag);
    response.setHeader("x-svc-signature", "ab".repeat(64));
    const first =
      request.headers["if-range"] === tag
        ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0)
        : 0;
    const size = this.file.length;
    if (first > 0) response.setHeader("content-range", `bytes ${first}-${size - 1}/${size}`);
    response.writeHead(first > 0 ? 206 : 200, { "content-length": size - first });
    this.#send(response, this.file.subarray(first));
  }

  #send(response: ServerResponse, body: Uint8Array): void {
    if (body.length <= this.cutBytes) response.end(body);
    else response.write(body.subarray(0, this.cutBytes), () => response.socket?.end());
  }
}
