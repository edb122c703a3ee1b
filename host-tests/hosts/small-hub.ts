/**
 * A minimal hub for a console: registers every device, serves files with ranges, and accepts the push channel. The
 * test writes each push message and cuts connections itself; tests of the real hub use the real hub.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { DeviceMessage, HubMessage } from "../../protocol/hub/push-messages.js";

export interface HubFile {
  readonly bytes: Uint8Array;
  readonly signature?: string;
}

/** How long to wait for a message that is expected. */
const WORD_LIMIT_MS = 60_000;

export class SmallHub {
  readonly files = new Map<string, HubFile>();
  /** Downloads so far: the `Range` header (`undefined` for the whole file), and the `Authorization` header. */
  readonly downloads: {
    readonly path: string;
    readonly range: string | undefined;
    readonly token: string;
  }[] = [];
  readonly registrations: Record<string, unknown>[] = [];
  readonly received: DeviceMessage[] = [];
  /** Cut each download after this many bytes of the answer; default: never. */
  cutAfterBytes: number | undefined;
  isClaimed = false;
  /** Whether it takes the token of the push channel in `Authorization`, and then only there. */
  takesBearer = false;
  /** Raw text sent as the answer to every request, instead of the normal answers. */
  answerAll: string | undefined;
  /** Token of a console that registered with this hub at its previous address. */
  movedToken: string | undefined;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #waiting = new Set<() => void>();
  #socket: WebSocket | undefined;

  static async start(): Promise<SmallHub> {
    const hub = new SmallHub();
    await new Promise<void>((resolve) => hub.#server.listen(0, "127.0.0.1", resolve));
    return hub;
  }

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.on("upgrade", (request, socket, head) => {
      if (this.answerAll !== undefined) socket.end(this.answerAll);
      else
        this.#sockets.handleUpgrade(request, socket, head, (webSocket) =>
          this.#connected(request, webSocket),
        );
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Token of the latest registration. */
  get deviceToken(): string {
    return this.movedToken ?? String(this.registrations.at(-1)?.["device_token"]);
  }

  /** Serves a file at `path`. @returns its URL */
  serve(path: string, file: HubFile): string {
    this.files.set(path, file);
    return this.url + path;
  }

  send(message: HubMessage): void {
    this.#socket?.send(JSON.stringify(message));
  }

  /** Breaks the push channel without a closing handshake, as a hub process does that crashes. */
  hangUp(): void {
    this.#socket?.terminate();
  }

  /** Waits for the first message from index `from` on that matches. */
  async receive<Type extends DeviceMessage["type"]>(
    type: Type,
    matches: (message: DeviceMessage & { type: Type }) => boolean = () => true,
    from = 0,
  ): Promise<DeviceMessage & { type: Type }> {
    const find = () =>
      this.received.slice(from).find((message): message is DeviceMessage & { type: Type } => {
        return message.type === type && matches(message as DeviceMessage & { type: Type });
      });
    const isThere = () => find() !== undefined;
    await this.#until(isThere, `${type}, only ${JSON.stringify(this.received)}`);
    return find() as DeviceMessage & { type: Type };
  }

  connected(): Promise<void> {
    return this.#until(() => this.#socket !== undefined, "a connection");
  }

  async close(): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + WORD_LIMIT_MS;
    while (!holds()) {
      if (performance.now() > deadline) throw new Error(`The console did not send ${what}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1000);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #connected({ headers, url }: IncomingMessage, socket: WebSocket): void {
    const isBearer = url === "/ws/device" && headers.authorization === `Bearer ${this.deviceToken}`;
    if (this.takesBearer ? isBearer : url === `/ws/device/${this.deviceToken}`) this.#hold(socket);
    else socket.terminate();
  }

  #hold(socket: WebSocket): void {
    this.#socket = socket;
    socket.on("message", (data) => {
      this.received.push(JSON.parse(String(data)));
      this.#wake();
    });
    socket.on("close", () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
    this.#wake();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.answerAll !== undefined) response.socket?.end(this.answerAll);
    else if (request.url === "/api/v1/devices/register") this.#register(request, response);
    else this.#download(request, response);
  }

  #register(request: IncomingMessage, response: ServerResponse): void {
    let text = "";
    request.on("data", (data) => {
      text += data;
    });
    request.on("end", () => {
      const registration = JSON.parse(text);
      this.registrations.push(registration);
      const claim = this.isClaimed ? {} : { claim_code: "ABCD-EFGH" };
      const record = { device_token: registration.device_token, device_id: "device-1", ...claim };
      const offer = this.takesBearer ? { "x-svc-push": "bearer" } : {};
      response.writeHead(201, { "content-type": "application/json", ...offer }).end(JSON.stringify(record));
    });
  }

  #download({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
    const file = this.files.get(url);
    if (!file) {
      const refusal = { error: "app_not_found", message: "There is none" };
      response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(refusal));
      return;
    }
    this.downloads.push({ path: url, range: headers.range, token: headers.authorization ?? "" });
    const start = Number(/^bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
    const rest = file.bytes.subarray(start);
    response.writeHead(headers.range ? 206 : 200, {
      etag: `"${createHash("sha256").update(file.bytes).digest("hex")}"`,
      "content-length": rest.length,
      ...(headers.range && {
        "content-range": `bytes ${start}-${file.bytes.length - 1}/${file.bytes.length}`,
      }),
      ...(file.signature !== undefined && { "x-svc-signature": file.signature }),
    });
    const { cutAfterBytes = rest.length } = this;
    if (cutAfterBytes >= rest.length) response.end(rest);
    else response.write(rest.subarray(0, cutAfterBytes), () => response.socket?.destroySoon());
  }
}
