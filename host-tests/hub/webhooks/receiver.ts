/** A receiver of webhooks, on this machine. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Certificate } from "../../hosts/certificates.js";
import type { Message } from "../rollouts/fleet.js";

export interface Received {
  readonly id: string;
  readonly timestamp: number;
  readonly signature: string;
  readonly headers: IncomingMessage["headers"];
  readonly path: string;
  readonly text: string;
  readonly body: Message;
}

export type Answering = (response: ServerResponse, received: Received) => void;

export const answering =
  (status: number, headers: Record<string, string> = {}): Answering =>
  (response) =>
    response.writeHead(status, headers).end();

export class Receiver {
  /** In the order in which they came. */
  readonly received: Received[] = [];
  answer: Answering;
  readonly #server: Server;
  #connections = 0;

  private constructor(answer: Answering, certificate?: Certificate) {
    this.answer = answer;
    const take = (request: IncomingMessage, response: ServerResponse) => void this.#take(request, response);
    this.#server = certificate ? createSecureServer({ ...certificate }, take) : createServer(take);
    this.#server.on("connection", () => {
      this.#connections += 1;
    });
  }

  /** Until the test ends. @param certificate for TLS */
  static async start(answer: Answering = answering(204), certificate?: Certificate): Promise<Receiver> {
    const receiver = new Receiver(answer, certificate);
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    onTestFinished(() => {
      receiver.#server.closeAllConnections();
      receiver.#server.close();
    });
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook?key=of-the-receiver`;
  }

  get connections(): number {
    return this.#connections;
  }

  ofType(type: string): readonly Received[] {
    return this.received.filter(({ body }) => body.type === type);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const { headers, url = "" } = request;
    const received: Received = {
      id: String(headers["webhook-id"]),
      timestamp: Number(headers["webhook-timestamp"]),
      signature: String(headers["webhook-signature"]),
      headers,
      path: url,
      text,
      body: JSON.parse(text),
    };
    this.received.push(received);
    this.answer(response, received);
  }
}

/** As receivers check it. @param secret `whsec_…` */
export function isSigned(secret: string, { id, timestamp, signature, text }: Received): boolean {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${text}`).digest("base64");
  const isRecent = Math.abs(Date.now() / 1000 - timestamp) < 60;
  return isRecent && signature.split(" ").includes(`v1,${expected}`);
}
