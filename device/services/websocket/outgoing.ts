/**
 * Chooses the next message to one client: the answer to its ping, else our ping, else the next log line. There is no
 * queue: a client that receives nothing gets the answer to its latest ping (RFC 6455 §5.5.3 allows that) and, for the
 * lines that it has missed, one that counts them.
 */
import type { LogFollower } from "../logs/log-follower.js";
import type { FrameWriter } from "./frame-writer.js";

export class Outgoing {
  readonly #follower: LogFollower;
  readonly #frames: FrameWriter;
  #pingPayload: Uint8Array | undefined;
  #isPingDue = false;
  #awaitsPong = false;

  constructor(follower: LogFollower, frames: FrameWriter) {
    this.#follower = follower;
    this.#frames = frames;
  }

  /** Whether the client owes us a pong. */
  get awaitsPong(): boolean {
    return this.#awaitsPong;
  }

  /** The next frame, to be sent before this is called again; `undefined` while there is none. */
  next(): Uint8Array | undefined {
    return this.#nextPong() ?? this.#nextPing() ?? this.#nextLine();
  }

  /** Has the client asked whether it is still there, once its turn has come. */
  ping(): void {
    this.#isPingDue = true;
    this.#awaitsPong = true;
  }

  /** @param payload is copied */
  onPing(payload: Uint8Array): void {
    this.#pingPayload = new Uint8Array(payload);
  }

  /**
   * Any pong, also an unsolicited one, shows that the peer is alive (RFC 6455 §5.5.3). But not while our ping could not
   * even be sent: a client that receives none of its data has no use for its connection.
   */
  onPong(): void {
    if (!this.#isPingDue) this.#awaitsPong = false;
  }

  #nextPong(): Uint8Array | undefined {
    const payload = this.#pingPayload;
    this.#pingPayload = undefined;
    return payload && this.#frames.pong(payload);
  }

  #nextPing(): Uint8Array | undefined {
    if (!this.#isPingDue) return undefined;
    this.#isPingDue = false;
    return this.#frames.ping();
  }

  #nextLine(): Uint8Array | undefined {
    const line = this.#follower.next();
    return line === undefined ? undefined : this.#frames.line(line);
  }
}
