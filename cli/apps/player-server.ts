/**
 * The server of `svc app dev --browser`: the player's page with the app that was built last, on this computer alone. Pages of
 * other origins get nothing from it, under whatever name they reach it (docs/spec/web-player.md#dev).
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { PlayerFile } from "../../tools/player-page.js";
import { type PlayerReport, readReport } from "./player-report.js";

/** The largest report has 32 lines of 256 bytes, of which JSON may make six times as many. */
const REPORT_LIMIT_BYTES = 128 * 1024;
/** Pages that are open at a time. */
const PAGES_LIMIT = 16;

const PRIVATE = Object.freeze({
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
});

export interface PlayerServerOptions {
  readonly files: readonly PlayerFile[];
  /** 0: any free one. */
  readonly port: number;
  readonly onReport: (report: PlayerReport) => void;
}

export class PlayerServer {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #files: ReadonlyMap<string, PlayerFile>;
  readonly #onReport: (report: PlayerReport) => void;
  readonly #pages = new Set<ServerResponse>();
  #app: Uint8Array | undefined;
  /** Names the app's build, so that a page whose connection was lost does not run it anew. */
  #build = "";
  #problem: string | undefined;

  private constructor({ files, onReport }: PlayerServerOptions) {
    this.#files = new Map(files.map((file) => [`/${file.path}`, file]));
    this.#onReport = onReport;
  }

  /** @throws {Error} with Node's code if the port is taken */
  static async start(options: PlayerServerOptions): Promise<PlayerServer> {
    const server = new PlayerServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once("error", reject);
      server.#server.listen(options.port, "127.0.0.1", resolve);
    });
    return server;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Has open pages, and those to come, run this app. */
  show(app: Uint8Array): void {
    this.#app = app;
    this.#problem = undefined;
    this.#build = randomUUID();
    this.#tell("built", this.#build);
  }

  /** Has open pages say that the running app is not the newest. */
  fail(problem: string): void {
    this.#problem = problem;
    this.#tell("failed", problem);
  }

  /** May be called twice. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get #port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address ? address.port : 0;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const [path = ""] = (request.url ?? "").split("?", 1);
    const isReading = request.method === "GET" || request.method === "HEAD";
    const file = this.#files.get(path);
    const refusal = this.#refusalOf(request, file !== undefined);
    if (refusal !== undefined) response.writeHead(refusal, PRIVATE).end();
    else if (file && isReading) this.#send(response, file);
    else if (path === "/app.svcpkg" && isReading && this.#app) this.#sendApp(response, this.#app);
    else if (path === "/events" && request.method === "GET") this.#follow(response);
    else if (path === "/report" && request.method === "POST") this.#takeReport(request, response);
    else response.writeHead(404, PRIVATE).end();
  }

  /**
   * A page of another origin may reach this port by a name of its own that leads to this computer (DNS rebinding), embed what
   * it cannot read, or post what it gets no answer to.
   * @param isFile whether it is for a file of the page, not for the app or for what happens to it
   * @returns a status for what no page of ours sends
   */
  #refusalOf({ headers, method }: IncomingMessage, isFile: boolean): number | undefined {
    const ours = [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
    if (!ours.includes(headers.host ?? "")) return 421;
    const site = headers["sec-fetch-site"];
    // A link or a typed address may open the page, which then is a page of ours.
    const isVisit = isFile && headers["sec-fetch-mode"] === "navigate";
    if (site !== undefined && site !== "same-origin" && !isVisit) return 403;
    if (method !== "POST") return undefined;
    const isJson = headers["content-type"] === "application/json";
    return isJson && headers.origin === `http://${headers.host}` ? undefined : 403;
  }

  #send(
    response: ServerResponse,
    { mediaType, body, fields }: Pick<PlayerFile, "mediaType" | "body" | "fields">,
  ): void {
    response.writeHead(200, {
      ...PRIVATE,
      ...fields,
      "content-type": mediaType,
      "content-length": body.length,
    });
    response.end(response.req.method === "HEAD" ? undefined : body);
  }

  #sendApp(response: ServerResponse, body: Uint8Array): void {
    this.#send(response, { mediaType: "application/gzip", body, fields: {} });
  }

  #follow(response: ServerResponse): void {
    if (this.#pages.size >= PAGES_LIMIT) {
      response.writeHead(503, PRIVATE).end();
      return;
    }
    this.#pages.add(response);
    response.on("close", () => this.#pages.delete(response));
    response.writeHead(200, { ...PRIVATE, "content-type": "text/event-stream" });
    response.write("retry: 500\n\n");
    if (this.#app) response.write(eventText("built", this.#build));
    if (this.#problem !== undefined) response.write(eventText("failed", this.#problem));
  }

  #tell(event: string, data?: string): void {
    for (const page of this.#pages) page.write(eventText(event, data));
  }

  #takeReport(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    let byteLength = 0;
    request.on("data", (chunk: Buffer) => {
      byteLength += chunk.length;
      if (byteLength <= REPORT_LIMIT_BYTES) chunks.push(chunk);
      else request.destroy();
    });
    request.on("end", () => {
      const report = readReport(Buffer.concat(chunks).toString("utf8"));
      response.writeHead(report ? 204 : 400, PRIVATE).end();
      if (report) this.#onReport(report);
    });
  }
}

/** One event of a stream (HTML standard, server-sent events); data has one line. */
function eventText(event: string, data = ""): string {
  return `event: ${event}\ndata: ${data.replaceAll(/[\r\n]+/g, " ")}\n\n`;
}
