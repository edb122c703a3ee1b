/**
 * A reverse proxy for a hub that sends no `X-Forwarded-…` headers. It can terminate TLS, strip a path prefix, and
 * send the hub another Host than the client's.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import type { Certificate } from "../../hosts/certificates.js";

export interface AddressProxyOptions {
  /** Returns the origin of the hub process for the next request. */
  readonly to: () => string;
  /** Certificate for `localhost`; default: no TLS. */
  readonly certificate?: Certificate;
  /** Host header sent to the hub; default: the client's. */
  readonly host?: string;
  /** Path prefix of the hub at the proxy; default: none. */
  readonly path?: string;
}

export class AddressProxy {
  readonly #options: AddressProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();

  private constructor(options: AddressProxyOptions) {
    const { certificate } = options;
    this.#options = options;
    this.#server = certificate ? createSecureServer(certificate) : createServer();
    this.#server.on("request", (asked, answer) => this.#pass(asked, answer));
    this.#server.on("upgrade", (asked, socket, head) => this.#join(asked, socket, head));
  }

  static async start(options: AddressProxyOptions): Promise<AddressProxy> {
    const proxy = new AddressProxy(options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The hub's address through this proxy. */
  get url(): string {
    const { certificate, path = "" } = this.#options;
    return `${certificate ? "https" : "http"}://localhost:${this.port}${path}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const target = this.#target(asked);
    if (target === undefined) return void answer.writeHead(404).end();
    const { method, headers } = asked;
    const passed = { ...headers, host: this.#host(asked) };
    const asking = request(this.#options.to() + target, {
      method: `${method}`,
      headers: passed,
      agent: false,
    });
    asking.once("response", (given) => {
      answer.writeHead(given.statusCode ?? 500, given.headers);
      given.pipe(answer);
    });
    asking.once("error", () => answer.destroy());
    asked.pipe(asking);
  }

  #join(asked: IncomingMessage, client: Duplex, head: Buffer): void {
    const target = this.#target(asked);
    if (target === undefined) return void client.destroy();
    const { hostname, port } = new URL(this.#options.to());
    const hub = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, hub],
      [hub, client],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => {}); // "close" follows
      one.once("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    const fields = Object.entries({ ...asked.headers, host: this.#host(asked) });
    const lines = [`GET ${target} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`), "", ""];
    hub.write(lines.join("\r\n"));
    hub.write(head);
    hub.pipe(client).pipe(hub);
  }

  #host({ headers }: IncomingMessage): string {
    return this.#options.host ?? headers.host ?? "";
  }

  /** Returns the hub's path for a request; `undefined` outside the prefix. */
  #target({ url = "" }: IncomingMessage): string | undefined {
    const { path = "" } = this.#options;
    return url.startsWith(`${path}/`) ? url.slice(path.length) : undefined;
  }
}
