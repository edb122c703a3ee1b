/**
 * Compares the connections that this process holds with what the database has of their devices, now and then and after
 * messages between processes may have been lost. It finds what such a message would have said.
 */
import type { FastifyBaseLogger } from "fastify";
import { inPieces } from "../database/bulk.js";
import { CloseCode } from "./close-code.js";
import type { DeviceSocket } from "./device-socket.js";
import type { Presence } from "./presence.js";

export interface ReconcilerOptions {
  readonly logger: FastifyBaseLogger;
  readonly presence: Presence;
  readonly processId: string;
  readonly sockets: ReadonlyMap<string, DeviceSocket>;
}

type Found = Awaited<ReturnType<Presence["look"]>>[number];

export class Reconciler {
  readonly #options: ReconcilerOptions;
  #running: Promise<void> | undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** At once, unless it is at it. */
  run(): void {
    this.#running ??= this.#compareAll()
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "connections are not compared"))
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Nothing is under way when this returns. */
  async close(): Promise<void> {
    await this.#running;
  }

  async #compareAll(): Promise<void> {
    const { presence, sockets } = this.#options;
    for (const piece of inPieces([...sockets.keys()]))
      for (const found of await presence.look(piece)) await this.#compare(found);
  }

  async #compare({ id, connection, process_id, account_id }: Found): Promise<void> {
    const { presence, processId, sockets } = this.#options;
    const socket = sockets.get(id);
    if (!socket || socket.connection > connection) return;
    if (socket.connection < connection) {
      socket.close(CloseCode.replaced);
      return;
    }
    socket.tellClaimed(account_id !== null);
    if (process_id !== processId) await presence.holdAgain(id, connection);
  }
}
