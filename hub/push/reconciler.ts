/**
 * Compares the connections that this process holds with the rows of their devices: periodically, and after messages
 * between processes may have been lost. Applies the changes that a lost message would have announced.
 */
import type { FastifyBaseLogger } from "fastify";
import { inPieces } from "../database/transactions.js";
import type { DeviceSocket } from "./device-socket.js";
import { CloseCode } from "./hub-message.js";
import type { Presence } from "./presence.js";

export interface ReconcilerOptions {
  readonly logger: FastifyBaseLogger;
  readonly presence: Presence;
  readonly processId: string;
  readonly sockets: ReadonlyMap<string, DeviceSocket>;
}

type Found = Awaited<ReturnType<Presence["connectionRows"]>>[number];

export class Reconciler {
  readonly #options: ReconcilerOptions;
  #running: Promise<void> | undefined;
  readonly #checking = new Set<Promise<void>>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Starts now; no-op while running. */
  run(): void {
    this.#running ??= this.#compareAll()
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "cannot compare connections"))
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Compares one device whose row has changed. */
  check(deviceId: string): void {
    if (!this.#options.sockets.has(deviceId)) return;
    const checking = this.#compareThese([deviceId])
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "cannot compare a connection"))
      .finally(() => this.#checking.delete(checking));
    this.#checking.add(checking);
  }

  /** Resolves when no comparison is in progress. */
  async close(): Promise<void> {
    await Promise.all([this.#running, ...this.#checking]);
  }

  async #compareAll(): Promise<void> {
    for (const piece of inPieces([...this.#options.sockets.keys()])) await this.#compareThese(piece);
  }

  async #compareThese(deviceIds: readonly string[]): Promise<void> {
    const { presence, sockets } = this.#options;
    const before = new Map(deviceIds.map((id) => [id, sockets.get(id)]));
    for (const found of await presence.connectionRows(deviceIds)) {
      const socket = sockets.get(found.id);
      // The row is older than a socket that has opened meanwhile.
      if (socket && socket === before.get(found.id)) await this.#compare(socket, found);
    }
  }

  async #compare(
    socket: DeviceSocket,
    { id, connection, process_id, claim_code, rotation_id }: Found,
  ): Promise<void> {
    const { logger, presence, processId } = this.#options;
    if (socket.connection < connection) {
      socket.close(CloseCode.replaced);
      return;
    }
    // A failover to a replica that lagged has lost the number of this connection, and the device may have got the same
    // number elsewhere. It would be deaf: commands go to the connection in the row. A new connection gets a new number.
    if (socket.connection > connection || (process_id !== null && process_id !== processId)) {
      logger.warn({ device: id, connection: socket.connection }, "the database has lost a connection");
      await presence.restoreNumber(id, socket.connection);
      socket.close(CloseCode.tryAgainLater);
      return;
    }
    socket.sendClaimed(claim_code === null);
    socket.requestRotation(rotation_id);
    if (process_id !== processId) await presence.reclaim(id, connection);
  }
}
