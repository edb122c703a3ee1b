/**
 * A proxy for a console or a hub that forwards requests unchanged, Host and Origin included, and records requests and
 * statuses. It may have its target below a path.
 */
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "./until.js";

export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly status: number;
}

export class RecordingProxy {
  readonly #server: Server;
  readonly #asked: Asked[] = [];

  private constructor(target: string, below: string) {
    this.#server = createServer((request, response) => {
      const { method = "", url = "", headers } = request;
      if (!url.startsWith(`${below}/`)) return void response.writeHead(404).end();
      const onward = httpRequest(target + url.slice(below.length), { method, headers }, (answer) => {
        const status = answer.statusCode ?? 0;
        this.#asked.push({ method, url, status });
        response.writeHead(status, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      request.pipe(onward);
    });
  }

  /**
   * @param target origin of the console or hub
   * @param below path such as `/hub`; all others are 404
   */
  static async start(target: string, below = ""): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target, below);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answered requests, in order. */
  get asked(): readonly Asked[] {
    return this.#asked;
  }

  /** Resolves once the condition holds for the answered requests. */
  async until(holds: (asked: readonly Asked[]) => boolean): Promise<void> {
    await until(async () => this.#asked, holds);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
