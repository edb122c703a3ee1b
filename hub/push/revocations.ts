/**
 * Sends the newest revocation list (docs/spec/hub-push.md#revocations-to-all) to every console until it has that list
 * or a newer one. A refusal may be temporary (the console's storage is full, or its firmware does not trust the signer
 * yet), so the list is sent once per connection, and again when a console that refused it reports other firmware. The
 * operator writes the list to the database without notifying any process: each one polls every few seconds, and sends
 * it to its connected consoles.
 */
import type { FaultCode } from "../../protocol/fault.js";
import type { KeysRevokeResult } from "../../protocol/hub/push-messages.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import type { DeviceSocket } from "./device-socket.js";
import type { Presence } from "./presence.js";

/** The console's list has a higher number: there is nothing to bring it. */
const HAS_A_NEWER_ONE: FaultCode = "revocations_older";

export interface RevocationsOptions extends Pick<HubContext, "database" | "logger"> {
  readonly sockets: ReadonlyMap<string, DeviceSocket>;
}

export class Revocations {
  readonly #options: RevocationsOptions;
  /** `undefined` until the first query. */
  #newest: Row<"revocations"> | null | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: RevocationsOptions) {
    this.#options = options;
  }

  /** The device has just connected. */
  toOpened(socket: DeviceSocket): void {
    if (this.#newest === undefined) this.toAll();
    else this.#sendTo(socket);
  }

  /** Looks which list is the newest, and sends it to those who have not got it. */
  toAll(): void {
    this.#looking ??= this.#check()
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "cannot look for revocations"))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** Called when the device reports its firmware: a new one may accept the list that the previous one has refused. */
  onStatus(socket: DeviceSocket, firmwareVersion: string): void {
    const isOther = socket.firmwareVersion !== undefined && socket.firmwareVersion !== firmwareVersion;
    socket.firmwareVersion = firmwareVersion;
    if (!isOther || !socket.hasRefusedRevocations) return;
    socket.revocationsId = null;
    this.#sendTo(socket);
  }

  /** What is refused is not noted, so that it is sent over the next connection, but not again over this one. */
  async onResult(
    socket: DeviceSocket,
    { command_id, success, error }: Omit<KeysRevokeResult, "type">,
    presence: Presence,
  ): Promise<void> {
    const newest = this.#newest;
    if (!newest || (command_id !== undefined && command_id !== newest.id)) return;
    const { logger } = this.#options;
    const { connection, deviceId } = socket;
    if (!success && error !== HAS_A_NEWER_ONE) {
      socket.hasRefusedRevocations = true;
      logger.warn({ device: deviceId, list: newest.number, error }, "revocations were refused");
      return;
    }
    try {
      await presence.noteRevocations(deviceId, connection, newest.id);
    } catch (cause) {
      logger.warn(
        { err: cause, device: deviceId },
        "a result of revocations cannot be kept: it is sent again",
      );
    }
  }

  /** Nothing is under way when this returns. */
  async close(): Promise<void> {
    await this.#looking;
  }

  async #check(): Promise<void> {
    const newest = await this.#options.database
      .selectFrom("revocations")
      .selectAll()
      .orderBy("number", "desc")
      .limit(1)
      .executeTakeFirst();
    this.#newest = newest ?? null;
    for (const socket of this.#options.sockets.values()) this.#sendTo(socket);
  }

  #sendTo(socket: DeviceSocket): void {
    const newest = this.#newest;
    if (!newest || socket.revocationsId === newest.id) return;
    socket.revocationsId = newest.id;
    socket.hasRefusedRevocations = false;
    socket.sendMessage({ type: "keys.revoke", command_id: newest.id, list: newest.list });
  }
}
