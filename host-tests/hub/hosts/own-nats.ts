/** A private NATS server for a test that stops and restarts it. */
import { freePort, ServedPort } from "./own-server.js";

export class OwnNats {
  readonly #server: ServedPort;

  private constructor(server: ServedPort) {
    this.#server = server;
  }

  /** Starts a server; resolves when it listens. */
  static async start(): Promise<OwnNats> {
    const nats = await OwnNats.unstarted();
    await nats.resume();
    return nats;
  }

  /** Reserves the address of a server that does not run yet. */
  static async unstarted(): Promise<OwnNats> {
    const port = await freePort();
    const command = ["setpriv", "--pdeathsig=KILL", "nats-server", "-a", "127.0.0.1", "-p", `${port}`];
    return new OwnNats(new ServedPort(port, command));
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#server.port}`;
  }

  stop(): Promise<void> {
    return this.#server.stop("SIGKILL");
  }

  resume(): Promise<void> {
    return this.#server.start();
  }
}
