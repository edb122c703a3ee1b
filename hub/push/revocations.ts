/**
 * Sends the newest revocation list (docs/spec/hub-push.md#revocations-to-all) to every console until it has that list
 * or a newer one. A rejection may be temporary (the console's storage is full, or its firmware does not trust the
 * signer yet), so the list is sent once per connection, and again when a console that rejected it reports other
 * firmware. The operator writes the list to the database without notifying any process: each one polls every few
 * seconds, and sends it to its connected consoles.
 */
import { randomUUID } from "node:crypto";
import { Fault, type FaultCode } from "../../protocol/fault.js";
import type { KeysRevokeResult } from "../../protocol/hub/push-messages.js";
import { readRevocationList } from "../../protocol/keys/revocation-list.js";
import { verifySignature } from "../../protocol/signature/ed25519.js";
import type { HubContext } from "../context.js";
import type { Database, Row } from "../database/schema.js";
import { retriedTransaction } from "../database/transactions.js";
import { SIGNATURE_PORTS } from "../signature-ports.js";
import type { DeviceSocket } from "./device-socket.js";
import type { Presence } from "./presence.js";

/** Keys of one list: consoles read messages of at most 4096 bytes. */
const PUSHED_KEYS_LIMIT = 90;

/**
 * Stores a revocation list in place of the previous one. The hub's processes then send it to every console until the
 * console has confirmed it.
 * @param bytes as docs/spec/keys.md defines them
 * @throws {Fault} `revocations_invalid`; `revocations_older` unless the list's number is above that of the previous
 *   list
 */
export async function storeRevocationList(
  { database, now }: Pick<HubContext, "database" | "now">,
  bytes: Uint8Array,
): Promise<{ readonly number: number; readonly keys: number }> {
  const { number, count, signer, signature, signedBytes } = readRevocationList(bytes);
  if (!verifySignature({ ...SIGNATURE_PORTS, message: signedBytes, signature, publicKey: signer }))
    throw new Fault(
      "revocations_invalid",
      "Cannot accept the list of revoked keys: its signature is invalid",
    );
  if (count > PUSHED_KEYS_LIMIT)
    throw new Fault(
      "revocations_invalid",
      `Cannot push a list of ${count} keys: the limit is ${PUSHED_KEYS_LIMIT}; put it into firmware`,
    );
  await retriedTransaction(database, async (transaction) => {
    const newest = await newestList(transaction);
    if (newest && newest.number >= number)
      throw new Fault("revocations_older", `List ${newest.number} was sent to all consoles already`);
    const list = Buffer.from(bytes).toString("base64");
    await transaction.deleteFrom("revocations").execute();
    const row = { id: randomUUID(), number, list, created_at: now() };
    await transaction.insertInto("revocations").values(row).execute();
  });
  return { number, keys: count };
}

function newestList(database: Database): Promise<Row<"revocations"> | undefined> {
  return database.selectFrom("revocations").selectAll().orderBy("number", "desc").limit(1).executeTakeFirst();
}

/** The console has a list with a higher number, so this one need not be sent again. */
const HAS_NEWER_LIST: FaultCode = "revocations_older";

export interface RevocationsOptions extends Pick<HubContext, "database" | "logger"> {
  readonly sockets: ReadonlyMap<string, DeviceSocket>;
}

export class Revocations {
  readonly #options: RevocationsOptions;
  /** `undefined` until the first query. */
  #newest: Row<"revocations"> | null | undefined;
  #polling: Promise<void> | undefined;

  constructor(options: RevocationsOptions) {
    this.#options = options;
  }

  /** The device has just connected. */
  toOpened(socket: DeviceSocket): void {
    if (this.#newest === undefined) this.poll();
    else this.#sendTo(socket);
  }

  /** Reads the newest list, and sends it to the connected devices that do not have it. No-op while running. */
  poll(): void {
    this.#polling ??= this.#check()
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "cannot read the revocation list"))
      .finally(() => {
        this.#polling = undefined;
      });
  }

  /**
   * Called when the device reports its firmware: new firmware may accept the list that the previous firmware rejected.
   */
  onStatus(socket: DeviceSocket, firmwareVersion: string): void {
    const isOther = socket.firmwareVersion !== undefined && socket.firmwareVersion !== firmwareVersion;
    socket.firmwareVersion = firmwareVersion;
    if (!isOther || !socket.hasRefusedRevocations) return;
    socket.revocationsId = null;
    this.#sendTo(socket);
  }

  /** Does not record a rejection: the list is sent again over the next connection, but not over this one. */
  async onResult(
    socket: DeviceSocket,
    { command_id, success, error }: Omit<KeysRevokeResult, "type">,
    presence: Presence,
  ): Promise<void> {
    const newest = this.#newest;
    if (!newest || (command_id !== undefined && command_id !== newest.id)) return;
    const { logger } = this.#options;
    const { connection, deviceId } = socket;
    if (!success && error !== HAS_NEWER_LIST) {
      socket.hasRefusedRevocations = true;
      logger.warn({ device: deviceId, list: newest.number, error }, "a device rejected the revocation list");
      return;
    }
    try {
      await presence.recordRevocations(deviceId, connection, newest.id);
    } catch (cause) {
      logger.warn(
        { err: cause, device: deviceId },
        "cannot store a revocation result: the list is sent again",
      );
    }
  }

  /** Resolves when no poll is in progress. */
  async close(): Promise<void> {
    await this.#polling;
  }

  async #check(): Promise<void> {
    this.#newest = (await newestList(this.#options.database)) ?? null;
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
