/** A NATS server of a test's own, which may be stopped. */
import { freePort, ServedPort } from "./own-server.js";

export class OwnNats {
  readonly #server: ServedPort;

  private constructor(server: ServedPort) {
    this.#server = server;
  }

  /** One that listens. */
  static async start(): Promise<OwnNats> {
    const nats = await OwnNats.unstarted();
    await nats.resume();
    return nats;
  }

  /** One that does not listen yet, at an address that is known already. */
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
