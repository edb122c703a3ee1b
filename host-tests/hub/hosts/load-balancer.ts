/**
 * One address for all processes of a hub, as consoles see it: passes each connection to the next process that accepts
 * it, regardless of the client, without inspecting its content. Tests can hold new connections and cut open ones.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A connection that a process accepted. */
export interface BalancedConnection {
  /** Origin of the process. */
  readonly origin: string;
  readonly client: Socket;
  /** Number of bytes that the process has sent over it. */
  receivedBytes: number;
}

/** Stops new connections from reaching a process. */
export interface Hold {
  /** Settles once a connection is waiting. */
  readonly someone: Promise<void>;
  /** Passes on the waiting connections and all later ones. */
  release(): void;
}

export class LoadBalancer {
  readonly #server: Server;
  readonly #origins: readonly string[];
  readonly #clients = new Set<Socket>();
  /** Accepted connections in order, closed ones included. */
  readonly connections: BalancedConnection[] = [];
  /** Cut each connection after this many bytes from the hub; default: never. */
  cutAfterBytes: number | undefined;
  #turn = 0;
  #door: Promise<void> = Promise.resolve();
  #onWaiting: () => void = () => {};

  private constructor(origins: readonly string[]) {
    this.#origins = origins;
    this.#server = createServer({ pauseOnConnect: true }, (client) => void this.#take(client));
  }

  /** @param origins origins of the hub's processes */
  static async start(origins: readonly string[]): Promise<LoadBalancer> {
    const balancer = new LoadBalancer(origins);
    await new Promise<void>((resolve) => balancer.#server.listen(0, "127.0.0.1", resolve));
    return balancer;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The open connections. */
  get open(): readonly BalancedConnection[] {
    return this.connections.filter(({ client }) => !client.destroyed);
  }

  /** Holds all new connections until released. */
  hold(): Hold {
    let release = () => {};
    this.#door = new Promise((resolve) => {
      release = resolve;
    });
    const someone = new Promise<void>((resolve) => {
      this.#onWaiting = resolve;
    });
    return { someone, release };
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(client: Socket): Promise<void> {
    this.#clients.add(client);
    client.once("close", () => this.#clients.delete(client));
    client.on("error", () => {}); // "close" follows
    this.#onWaiting();
    await this.#door;
    for (let tries = 0; tries < this.#origins.length && !client.destroyed; tries++) {
      const origin = this.#origins[this.#turn++ % this.#origins.length] as string;
      const process = await connected(origin);
      if (process) return this.#join({ origin, client, receivedBytes: 0 }, process);
    }
    client.destroy();
  }

  #join(connection: BalancedConnection, process: Socket): void {
    const { client } = connection;
    const limitBytes = this.cutAfterBytes ?? Number.POSITIVE_INFINITY;
    this.connections.push(connection);
    process.on("data", (chunk) => {
      client.write(chunk.subarray(0, limitBytes - connection.receivedBytes));
      connection.receivedBytes += chunk.length;
      if (connection.receivedBytes >= limitBytes) process.destroy();
    });
    process.once("close", () => client.destroySoon());
    client.once("close", () => process.destroy());
    client.pipe(process);
  }
}

/** Connects to a process; `undefined` if it has ended and does not listen. */
function connected(origin: string): Promise<Socket | undefined> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once("connect", () => resolve(socket));
    socket.on("error", () => resolve(undefined));
  });
}
