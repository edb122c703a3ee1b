/** The registry of consoles: their registration and their records. `accounts/` handles claiming. */

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { DeviceRecord } from "../../protocol/hub/answers/devices.js";
import type { Authentication, Caller } from "../auth/authentication.js";
import { makeClaimCode } from "../auth/tokens.js";
import type { Commands } from "../commands/commands.js";
import type { HubContext } from "../context.js";
import type { Database, Row } from "../database/schema.js";
import { retriedTransaction } from "../database/transactions.js";
import { removeTags } from "../fleet/tags.js";
import { removeFromRollouts } from "../rollouts/rollout-update.js";
import { deviceEvent } from "../webhooks/events.js";
import { recordEvents } from "../webhooks/record-events.js";
import { deviceNotFound, deviceRecord, processesHolding } from "./device-record.js";
import {
  holdBackClaimCode,
  isFormerToken,
  isPresentToken,
  lockToken,
  matchesToken,
  mustRotate,
  promoteToken,
  recordFormerToken,
  tokenBound,
} from "./former-tokens.js";
import { type Registration, readNextToken } from "./registration.js";

export interface Registered {
  readonly device: Row<"devices">;
  readonly isNew: boolean;
}

/** Attempts until one of several concurrent registrations of the same MAC succeeds. */
const TRIES_LIMIT = 5;

export interface DevicesOptions extends HubContext {
  readonly authentication: Authentication;
}

export class Devices {
  readonly #context: DevicesOptions;

  constructor(context: DevicesOptions) {
    this.#context = context;
  }

  /**
   * Creates or updates the device's record: the same token is the same device, and a MAC has one record. A new token
   * replaces the old one only in a record that no account holds, since an attacker who knows the MAC can bind a token
   * to it. If an account may know the previous token, the record gets no claim code (former-tokens.ts).
   * @param registration as `readRegistration` returns it
   * @param onNew called before a new record is created; a rejection prevents it
   * @throws {Fault} `token_bound` for a token of another MAC, and for a MAC that an account holds under another token
   */
  async register(
    registration: Registration,
    onNew: () => Promise<void> = async () => {},
  ): Promise<Registered> {
    const tokenHash = this.#context.hasher.hash(registration.device_token);
    const known = await this.#update(tokenHash, registration);
    if (known) return { device: known, isNew: false };
    await onNew();
    for (let tries = 0; tries < TRIES_LIMIT; tries++) {
      const device = await this.#insert(tokenHash, registration);
      if (device) return { device, isNew: true };
      const meanwhile = await this.#update(tokenHash, registration); // after a concurrent registration
      if (meanwhile) return { device: meanwhile, isNew: false };
      const replaced = await this.#replace(tokenHash, registration);
      if (replaced) return { device: replaced, isNew: true };
      const { mac } = registration;
      if ((await this.#byMac(this.#context.database, mac))?.account_id)
        throw new Fault(
          "token_bound",
          `Cannot register ${mac}: an account holds this console under another token and must release it first`,
        );
    }
    throw new Fault("busy", "Other registrations of this MAC are in progress: try again", {
      details: { retry_after_s: 1 },
    });
  }

  /**
   * Requests a new token from the device: now if it is connected, else when it connects.
   * @returns whether it is connected
   */
  async requestRotation(deviceId: string): Promise<boolean> {
    const { database } = this.#context;
    const device = await database
      .updateTable("devices")
      // A pending rotation continues: the device may have stored only its new token.
      .set({ rotation_id: sql`coalesce(rotation_id, ${randomUUID()})` })
      .where("id", "=", deviceId)
      .where("retired_at", "is", null)
      .returningAll()
      .executeTakeFirst();
    if (!device) throw deviceNotFound(deviceId);
    this.notify(device);
    return this.isOnline(device);
  }

  /**
   * Stores the device's new token: both tokens are valid until the device has connected with the new one.
   * @param request the rotation and connection of the hub's request; left out if the device rotates on its own
   * @returns whether it was accepted: false for a stale connection or rotation
   * @throws {Fault} as {@link readNextToken}; `token_bound` for a token that is or was in use; `forbidden` if
   *   the device rotates on its own, but must rotate over the push channel first
   */
  async acceptNextToken(
    deviceId: string,
    body: Parameters<typeof readNextToken>[0],
    request?: { readonly rotationId: string; readonly connection: number },
  ): Promise<boolean> {
    const { database, hasher } = this.#context;
    const device = await database
      .selectFrom("devices")
      .selectAll()
      .where("id", "=", deviceId)
      .executeTakeFirst();
    if (!device) return false;
    if (!request) requireNoPendingRotation(device);
    const next_token_hash = hasher.hash(readNextToken(body, device.mac));
    const holder = await this.#byToken(next_token_hash);
    const isOwn =
      holder !== undefined && holder.id === deviceId && holder.next_token_hash === next_token_hash;
    if (holder && !isOwn) throw inUse();
    return await retriedTransaction(database, async (transaction) => {
      await lockToken(transaction, next_token_hash);
      if (await isPresentToken(transaction, next_token_hash)) throw inUse();
      const { numUpdatedRows } = await transaction
        .updateTable("devices")
        .set({ next_token_hash })
        .where("id", "=", deviceId)
        .where("retired_at", "is", null)
        .where("token_hash", "=", device.token_hash)
        .where("next_token_hash", device.next_token_hash === null ? "is" : "=", device.next_token_hash)
        .$if(!request, (query) =>
          query.where((row) =>
            row.or([row("account_id", "is not", null), row("claim_code", "is not", null)]),
          ),
        )
        .$if(request !== undefined, (query) =>
          query
            .where("rotation_id", "=", request?.rotationId ?? "")
            .where("connection", "=", request?.connection ?? 0),
        )
        .executeTakeFirst();
      if (numUpdatedRows > 0n && (await isFormerToken(transaction, next_token_hash)))
        throw new Fault("token_bound", "A console used this token before: create another one");
      return numUpdatedRows > 0n;
    });
  }

  /**
   * Ends the record and invalidates its token. Its MAC may register again.
   * @param isSelf whether the caller is the device itself
   * @throws {Fault} `forbidden` if the device must replace its token first
   */
  async retire(device: Row<"devices">, commands: Commands, isSelf: boolean): Promise<void> {
    const { authentication, database, now } = this.#context;
    const { id } = device;
    if (isSelf) requireNoPendingRotation(device);
    await retriedTransaction(database, async (transaction) => {
      const removed = { deviceId: id, now: now() };
      if (device.account_id !== null)
        await removeFromRollouts(transaction, { ...removed, accountId: device.account_id });
      const before = await transaction // locks the row until the transaction ends
        .updateTable("devices")
        .set({ claim_code: null })
        .where("id", "=", id)
        .where("retired_at", "is", null)
        .returningAll()
        .executeTakeFirst();
      if (!before) return;
      const { account_id: accountId } = before;
      if (accountId !== null) await recordFormerToken(transaction, before);
      await transaction
        .updateTable("devices")
        .set((row) => ({
          token_hash: `retired ${id}`,
          next_token_hash: null,
          rotation_id: null,
          retired_at: now(),
          account_id: null,
          process_id: null,
          connection: row("connection", "+", 1),
        }))
        .where("id", "=", id)
        .execute();
      await commands.cancelDevice(id, transaction);
      await removeTags(transaction, id);
      if (accountId === null) return;
      if (accountId !== device.account_id) await removeFromRollouts(transaction, { ...removed, accountId });
      await recordEvents(transaction, [deviceEvent(accountId, "device.released", before)], now());
    });
    authentication.clearCache();
    this.notify(device);
  }

  /** Notifies the process that holds the device's connection of a changed record. The notification may be lost. */
  notify({ id, process_id }: Pick<Row<"devices">, "id" | "process_id">): void {
    if (process_id === null) return;
    this.#context.bus.publish(`process.${process_id}`, { kind: "look", device_id: id });
  }

  /**
   * Resolves the device in a path.
   * @param deviceId `me` for the calling device, else the id of a device that the calling account holds
   * @throws {Fault} `forbidden` for another kind of caller; `device_not_found` also for a device of another account
   */
  async ofCaller(caller: Caller | undefined, deviceId: string): Promise<Row<"devices">> {
    const isSelf = deviceId === "me";
    if (!caller || caller.kind !== (isSelf ? "device" : "account"))
      throw new Fault("forbidden", "Only the device itself and the account that holds it may do this");
    const device = await this.#context.database
      .selectFrom("devices")
      .selectAll()
      .where("id", "=", caller.kind === "device" ? caller.deviceId : deviceId)
      .$if(caller.kind === "account", (query) =>
        query.where("account_id", "=", (caller as { readonly accountId: string }).accountId),
      )
      .executeTakeFirst();
    if (!device) throw deviceNotFound(deviceId);
    return device;
  }

  /** The device as the API shows it. */
  async record(device: Row<"devices">): Promise<DeviceRecord> {
    const [record] = await this.records([device]);
    return record as DeviceRecord;
  }

  /** Any number of devices as the API shows them, in the same order. */
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

  /** Sorted by name. */
  apps(deviceId: string): Promise<readonly Row<"device_apps">[]> {
    return this.#context.database
      .selectFrom("device_apps")
      .selectAll()
      .where("device_id", "=", deviceId)
      .orderBy("app_id")
      .execute();
  }

  /**
   * Updates the device's record. The first use of the device's new token invalidates the previous one.
   * @returns `undefined` if no device has the token
   * @throws {Fault} `token_bound` if a device with another MAC has it, or is about to
   */
  async #update(tokenHash: string, registration: Registration): Promise<Row<"devices"> | undefined> {
    const { authentication, database, now } = this.#context;
    const update = () =>
      database
        .updateTable("devices")
        .set({
          name: registration.name,
          arch: registration.arch,
          firmware_version: registration.firmware_version,
          last_seen_at: now(),
        })
        .where("token_hash", "=", tokenHash)
        .where("mac", "=", registration.mac)
        .returningAll()
        .executeTakeFirst();
    const known = await update();
    if (known) return known;
    const next = await this.#byToken(tokenHash);
    if (next && next.mac !== registration.mac) throw tokenBound(registration.mac);
    if (!next || !(await promoteToken(database, tokenHash))) return undefined;
    authentication.clearCache();
    return update();
  }

  async #byToken(tokenHash: string): Promise<Row<"devices"> | undefined> {
    return await this.#context.database
      .selectFrom("devices")
      .selectAll()
      .where(matchesToken(tokenHash))
      .executeTakeFirst();
  }

  /** @returns `undefined` if the token or the MAC is registered already */
  #insert(
    tokenHash: string,
    { mac, name, arch, firmware_version }: Registration,
  ): Promise<Row<"devices"> | undefined> {
    const now = this.#context.now();
    return retriedTransaction(this.#context.database, async (transaction) => {
      await lockToken(transaction, tokenHash);
      const device = await transaction
        .insertInto("devices")
        .values({
          id: randomUUID(),
          token_hash: tokenHash,
          mac,
          name,
          arch,
          firmware_version,
          claim_code: makeClaimCode(),
          account_id: null,
          registered_at: now,
          last_seen_at: now,
          status: null,
          process_id: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      return device && (await holdBackClaimCode(transaction, device));
    });
  }

  /** Replaces the token in the record of a MAC. @returns `undefined` if an account holds the device */
  async #replace(
    tokenHash: string,
    { mac, name, arch, firmware_version }: Registration,
  ): Promise<Row<"devices"> | undefined> {
    const { authentication, database, now } = this.#context;
    const before = await this.#byMac(database, mac);
    const replaced = await retriedTransaction(database, async (transaction) => {
      await lockToken(transaction, tokenHash);
      const device = await transaction
        .updateTable("devices")
        .set((row) => ({
          token_hash: tokenHash,
          next_token_hash: null,
          rotation_id: null,
          name,
          arch,
          firmware_version,
          claim_code: makeClaimCode(),
          registered_at: now(),
          last_seen_at: now(),
          process_id: null,
          status: null,
          apps: null,
          apps_at: null,
          revocations_id: null,
          connection: row("connection", "+", 1),
        }))
        .where("mac", "=", mac)
        .where("retired_at", "is", null)
        .where("account_id", "is", null)
        .returningAll()
        .executeTakeFirst();
      if (!device) return undefined;
      await transaction.deleteFrom("device_apps").where("device_id", "=", device.id).execute();
      return await holdBackClaimCode(transaction, device);
    });
    if (!replaced) return undefined;
    authentication.clearCache();
    if (before) this.notify(before); // its connection is stale
    return replaced;
  }

  async #byMac(database: Database, mac: string): Promise<Row<"devices"> | undefined> {
    return await database
      .selectFrom("devices")
      .selectAll()
      .where("mac", "=", mac)
      .where("retired_at", "is", null)
      .executeTakeFirst();
  }
}

function inUse(): Fault {
  return new Fault("token_bound", "This token is in use already");
}

/** Such a device rotates only over the push channel: an attacker who knows its token could otherwise rotate it here. */
function requireNoPendingRotation(device: Row<"devices">): void {
  if (mustRotate(device))
    throw new Fault("forbidden", "The device must replace its token over the push channel first");
}
