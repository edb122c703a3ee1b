/** A server with its own origin that hosts the web console as a third party does, over HTTP or TLS. */
import { readFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buildConsole } from "../../../tools/web-page.js";

export interface ServedFile {
  readonly mediaType: string;
  readonly content: string | Uint8Array;
}

export interface PageServerOptions {
  /** Default: plain HTTP. */
  readonly certificate?: { readonly key: string; readonly cert: string };
}

export class PageServer {
  readonly #server: Server;
  readonly #scheme: string;

  private constructor(server: Server, scheme: string) {
    this.#server = server;
    this.#scheme = scheme;
  }

  /** @param files content by path; all other paths are 404 */
  static async start(
    files: ReadonlyMap<string, ServedFile>,
    { certificate }: PageServerOptions = {},
  ): Promise<PageServer> {
    const listener: RequestListener = ({ url = "/" }, response) => {
      const file = files.get(url);
      if (file) response.writeHead(200, { "content-type": file.mediaType }).end(file.content);
      else response.writeHead(404).end();
    };
    const server = certificate ? createSecureServer(certificate, listener) : createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new PageServer(server, certificate ? "https" : "http");
  }

  /** Serves the web console from a server that is not a console. */
  static async ofConsole(options: PageServerOptions = {}): Promise<PageServer> {
    const files = new Map<string, ServedFile>();
    for (const { path, mediaType, plain } of await buildConsole())
      files.set(path, { mediaType, content: await readFile(plain) });
    return PageServer.start(files, options);
  }

  /** Serves a single page. @param html its source */
  static ofPage(html: string): Promise<PageServer> {
    return PageServer.start(new Map([["/", { mediaType: "text/html; charset=utf-8", content: html }]]));
  }

  get origin(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
