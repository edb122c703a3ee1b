/** A phone beside a simulated console: it joins the set-up access point, and asks its listeners (docs/spec/simulated-console.md#air). */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export class AirClient {
  /** What the access point has answered: `joined`, or why not. */
  readonly answer: string;
  /** In the network of the access point; `""` unless it was joined. */
  readonly address: string;
  /** Settles when the connection to the access point has ended. */
  readonly ended: Promise<unknown>;
  readonly #socket: Socket;

  /** @param state directory of the console */
  static async join(state: string, ssid: string, password: string): Promise<AirClient> {
    const socket = connect(path.join(state, "air"));
    await once(socket, "connect");
    const ended = once(socket, "close");
    socket.write(`${ssid}\t${password}\n`);
    const [line] = await once(createInterface(socket), "line");
    return new AirClient(socket, ended, String(line));
  }

  private constructor(socket: Socket, ended: Promise<unknown>, line: string) {
    const [answer = "", address = ""] = line.split(" ");
    this.#socket = socket;
    this.ended = ended;
    this.answer = answer;
    this.address = address;
  }

  async leave(): Promise<void> {
    this.#socket.destroy();
    await this.ended;
  }

  /**
   * Asks for an address of the set-up page's server, whatever host it names.
   * @param page address of the set-up page
   * @param from address to ask from; the client's own by default
   */
  ask(
    page: string,
    target: string,
    { method = "GET", host = "", body = "", from = this.address, ...headers } = {},
  ): Promise<PageAnswer> {
    const { hostname, port, host: own } = new URL(page);
    const fields: Record<string, string> = { host: host || own, ...headers };
    if (method === "POST") {
      fields["content-type"] ??= "application/x-www-form-urlencoded";
      fields["content-length"] = String(Buffer.byteLength(body));
    }
    return new Promise((resolve, reject) => {
      const options = { hostname, port, path: target, method, headers: fields, agent: false as const };
      const sent = request({ ...options, localAddress: from }, (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("error", reject);
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: String(Buffer.concat(parts)),
          }),
        );
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** Sends datagrams to the name server, and returns the first answer. */
  async query(server: string, port: number, ...datagrams: readonly Uint8Array[]): Promise<Uint8Array> {
    const socket = createSocket("udp4");
    try {
      socket.bind(0, this.address);
      await once(socket, "listening");
      const answered = once(socket, "message");
      for (const datagram of datagrams) socket.send(datagram, port, server);
      const [answer] = await answered;
      return answer;
    } finally {
      socket.close();
    }
  }
}
