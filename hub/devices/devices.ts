/** The registry of consoles: registration, and what is known of each. Claiming is a matter of accounts. */
import { randomUUID } from "node:crypto";
import { Fault } from "../../protocol/fault.js";
import { makeClaimCode } from "../accounts/claim-code.js";
import type { Caller } from "../auth/caller.js";
import type { HubContext } from "../context.js";
import { isCollision } from "../database/retried-transaction.js";
import type { Row } from "../database/schema.js";
import { type DeviceRecord, deviceRecord } from "./device-record.js";
import { processesHolding } from "./online.js";
import type { Registration } from "./registration.js";

export interface Registered {
  readonly device: Row<"devices">;
  readonly isNew: boolean;
}

/** Two codes of 40 bits are hardly ever the same, let alone several in a row. */
const CODES_LIMIT = 5;

export class Devices {
  readonly #context: HubContext;

  constructor(context: HubContext) {
    this.#context = context;
  }

  /**
   * Makes the device's record, or brings it up to date: the same token is the same device.
   * @param registration as `readRegistration` gives it
   * @param onNew called before a new record is made, which its rejection prevents
   * @throws {Fault} `token_bound` for a token that is another MAC's
   */
  async register(
    registration: Registration,
    onNew: () => Promise<void> = async () => {},
  ): Promise<Registered> {
    const tokenHash = this.#context.hasher.hash(registration.device_token);
    const known = await this.#update(tokenHash, registration);
    if (known) return { device: known, isNew: false };
    await onNew();
    const made = await this.#insert(tokenHash, registration);
    if (made) return { device: made, isNew: true };
    const device = await this.#update(tokenHash, registration); // somebody was quicker, or has the token
    if (device) return { device, isNew: false };
    throw new Fault("token_bound", `Cannot register ${registration.mac}: the token is bound to another MAC`);
  }

  /**
   * The device that a path is about.
   * @param deviceId `me` for the device that asks, else the id of one that the asking account holds
   * @throws {Fault} `forbidden` for another kind of caller; `device_not_found` also for one that somebody else holds
   */
  async ofCaller(caller: Caller | undefined, deviceId: string): Promise<Row<"devices">> {
    const isMe = deviceId === "me";
    if (!caller || caller.kind !== (isMe ? "device" : "account"))
      throw new Fault("forbidden", "This is for the device itself, and for the account that holds it");
    const device = await this.#context.database
      .selectFrom("devices")
      .selectAll()
      .where("id", "=", caller.kind === "device" ? caller.deviceId : deviceId)
      .$if(caller.kind === "account", (query) =>
        query.where("account_id", "=", (caller as { readonly accountId: string }).accountId),
      )
      .executeTakeFirst();
    if (!device) throw new Fault("device_not_found", `No device of yours has the id "${deviceId}"`);
    return device;
  }

  /** What the API shows of the device. */
  async record(device: Row<"devices">): Promise<DeviceRecord> {
    const [record] = await this.records([device]);
    return record as DeviceRecord;
  }

  /** The same of any number of devices, in their order. */
  async records(devices: readonly Row<"devices">[]): Promise<readonly DeviceRecord[]> {
    const { database, now } = this.#context;
    const deviceIds = devices.filter(({ process_id }) => process_id !== null).map(({ id }) => id);
    const holders = await processesHolding(database, deviceIds, now());
    return devices.map((device) => deviceRecord(device, holders.has(device.id)));
  }

  async isOnline(device: Row<"devices">): Promise<boolean> {
    const { online } = await this.record(device);
    return online;
  }

  /** By name. */
  apps(deviceId: string): Promise<readonly Row<"device_apps">[]> {
    return this.#context.database
      .selectFrom("device_apps")
      .selectAll()
      .where("device_id", "=", deviceId)
      .orderBy("app_id")
      .execute();
  }

  #update(tokenHash: string, said: Registration): Promise<Row<"devices"> | undefined> {
    return this.#context.database
      .updateTable("devices")
      .set({
        ...{ name: said.name, arch: said.arch, firmware_version: said.firmware_version },
        last_seen_at: this.#context.now(),
      })
      .where("token_hash", "=", tokenHash)
      .where("mac", "=", said.mac)
      .returningAll()
      .executeTakeFirst();
  }

  /** @returns `undefined` where the token is known already */
  async #insert(tokenHash: string, said: Registration): Promise<Row<"devices"> | undefined> {
    for (let codes = 1; ; codes++)
      try {
        return await this.#insertWith(makeClaimCode(), tokenHash, said);
      } catch (error) {
        if (codes === CODES_LIMIT || !isCollision(error)) throw error; // another console has this code
      }
  }

  #insertWith(
    claimCode: string,
    tokenHash: string,
    { mac, name, arch, firmware_version }: Registration,
  ): Promise<Row<"devices"> | undefined> {
    const now = this.#context.now();
    return this.#context.database
      .insertInto("devices")
      .values({
        ...{ id: randomUUID(), token_hash: tokenHash, mac, name, arch, firmware_version },
        ...{ claim_code: claimCode, account_id: null, registered_at: now, last_seen_at: now },
        ...{ status: null, process_id: null },
      })
      .onConflict((conflict) => conflict.column("token_hash").doNothing())
      .returningAll()
      .executeTakeFirst();
  }
}
