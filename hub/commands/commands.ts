/**
 * Commands as desired state: a command is a row until its result arrives, and is sent again on every connection. The
 * push channel sends; this module stores.
 */

import type { Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { Actor } from "../../protocol/hub/answers/history.js";
import type { Page } from "../api/answers.js";
import type { HubContext } from "../context.js";
import type { Row, Tables } from "../database/schema.js";
import { inPieces, retriedTransaction } from "../database/transactions.js";
import { commandEvents, type EventDetails, writeEvents } from "../history/device-events.js";
import { recordEnded } from "../webhooks/record-events.js";
import { applyResults, type DeviceResult } from "./command-results.js";
import {
  type ChangedCommand,
  type CommandFilter,
  type CommandPage,
  cancelPending,
  commandsOf,
  deleteEnded,
  dequeuePending,
  dequeueUnsent,
  devicesAbove,
  expirePending,
  fullDevices,
  markUnsent,
  mostPending,
} from "./command-rows.js";
import { resetApps } from "./device-apps.js";
import { type Order, type RolloutOfCommands, type StoredCommands, storeCommands } from "./new-commands.js";
import { confirmRunning, type RunningFirmware } from "./running-firmware.js";

export interface QueuedCommand {
  readonly deviceId: string;
  readonly command_id: string;
  /** `sent` if the device is connected and is being notified, else `queued`. */
  readonly state: "sent" | "queued";
}

/**
 * Pending commands per device, more than any console has apps. Rollouts may exceed the limit: each adds one command,
 * and an account has a limited number of rollouts (docs/spec/hub-api.md#command-limit).
 */
const PENDING_LIMIT = 256;

/** Consoles of one order whose old commands are deleted at once; those of more wait for the clean-up. */
const CLEANED_AT_ONCE = 16;

/** Ended commands to keep per device. */
const ENDED_LIMIT = 100;

/** Devices that one notification names: each costs 78 bytes of it, with the id of its command. */
const NAMED_DEVICES_LIMIT = 1000;

const HUB: Actor = Object.freeze({ kind: "hub" });

export class Commands {
  readonly #context: HubContext;
  readonly #onEnded: ((commands: readonly ChangedCommand[]) => void)[] = [];
  readonly #onStored: ((commands: readonly Row<"commands">[]) => void)[] = [];

  constructor(context: HubContext) {
    this.#context = context;
  }

  /**
   * Stores commands, and has them sent to the connected devices. Each command replaces the pending one for the same
   * device and subject.
   * @param orders at most one per device and subject
   * @throws {Fault} `too_many_commands`
   */
  async enqueue(orders: readonly Order[]): Promise<readonly QueuedCommand[]> {
    const stored = await retriedTransaction(this.#context.database, async (database) => {
      const stored = await storeCommands({ ...this.#context, database }, orders);
      const deviceIds = orders.map(({ deviceId }) => deviceId);
      for (const piece of inPieces(deviceIds))
        if ((await mostPending(database, piece)) > PENDING_LIMIT)
          throw new Fault("too_many_commands", `A device can have at most ${PENDING_LIMIT} pending commands`);
      if (deviceIds.length <= CLEANED_AT_ONCE)
        for (const deviceId of deviceIds) await deleteEnded(database, deviceId, ENDED_LIMIT);
      return stored;
    });
    this.deliver(stored);
    return stored.commands.map(({ id, device_id }) => ({
      deviceId: device_id,
      command_id: id,
      state: stored.holders.has(device_id) ? "sent" : "queued",
    }));
  }

  /**
   * Stores the commands of a rollout as a part of a transaction, but for devices that its account does not hold any more;
   * call {@link deliver} after the commit.
   */
  store(
    database: Transaction<Tables>,
    orders: readonly Order[],
    rollout: RolloutOfCommands,
  ): Promise<StoredCommands> {
    return storeCommands({ ...this.#context, database }, orders, rollout);
  }

  /**
   * Has stored commands sent: those of this process's devices at once, the others by notifying the processes that hold
   * the devices. A notification may be lost.
   */
  deliver({ by, commands, holders, replaced }: StoredCommands): void {
    for (const { id, device_id, kind } of commands)
      this.#context.logger.debug({ command: id, device: device_id, kind, by }, "a command was ordered");
    this.#reportEnded(replaced);
    const { processId } = this.#context;
    const own = commands.filter(({ device_id }) => holders.get(device_id) === processId);
    for (const callback of this.#onStored) callback(own);
    this.#publish(holders, commands);
  }

  /**
   * Dequeues commands for sending: pending commands of devices that this process holds, not sent yet. Returns each
   * command to one caller only. After a failure, the commands that it has marked are found by {@link dequeueAll} alone.
   * @param deviceIds all devices of the process by default
   * @returns at most one batch, oldest first; call it until it returns none
   */
  async dequeue(deviceIds?: readonly string[]): Promise<readonly Row<"commands">[]> {
    const dequeued: Row<"commands">[] = [];
    for (const piece of deviceIds ? inPieces(deviceIds) : [undefined])
      dequeued.push(...(await dequeueUnsent(this.#context, piece)));
    return inOrder(dequeued);
  }

  /** Dequeues all pending commands of devices that have just connected to this process, sent or not. */
  async dequeueAll(deviceIds: readonly string[]): Promise<readonly Row<"commands">[]> {
    return inOrder(await dequeuePending(this.#context, deviceIds));
  }

  /** Makes commands that were dequeued, but not sent, available again. */
  async unsend(commandIds: readonly string[]): Promise<void> {
    for (const piece of inPieces(commandIds)) await markUnsent(this.#context.database, piece);
  }

  /** Applies the results that devices have sent: all of them or, if this throws, none. */
  async apply(results: readonly DeviceResult[]): Promise<void> {
    const changed = await applyResults(this.#context, results);
    this.#logResults(changed);
    this.#reportEnded(changed.filter(({ state }) => state !== "pending"));
  }

  /** Applies the versions that devices report to run: the only answer of some devices to a firmware command. */
  async confirm(running: readonly RunningFirmware[]): Promise<void> {
    const confirmed = await confirmRunning(this.#context, running);
    this.#logResults(confirmed);
    this.#reportEnded(confirmed);
  }

  /** @returns those of the devices that take no further command */
  async withoutRoom(deviceIds: readonly string[]): Promise<ReadonlySet<string>> {
    const full = new Set<string>();
    for (const piece of inPieces(deviceIds))
      for (const id of await fullDevices(this.#context.database, piece, PENDING_LIMIT)) full.add(id);
    return full;
  }

  /** @throws {Fault} `command_not_found` */
  async require(deviceId: string, commandId: string): Promise<Row<"commands">> {
    const row = await this.#context.database
      .selectFrom("commands")
      .selectAll()
      .where("id", "=", commandId)
      .where("device_id", "=", deviceId)
      .executeTakeFirst();
    if (!row) throw new Fault("command_not_found", `No command of this device has the id "${commandId}"`);
    return row;
  }

  /** The device's commands, the newest first. */
  list(deviceId: string, page: Page): Promise<CommandPage> {
    return commandsOf(this.#context.database, deviceId, page);
  }

  /**
   * Cancels a pending command. A device that has received it may still execute it.
   * @param details who cancels it, or why
   * @throws {Fault} `command_not_found`; `command_over` for a command that has ended otherwise
   */
  async cancel(
    deviceId: string,
    commandId: string,
    details: EventDetails = { by: HUB },
  ): Promise<Row<"commands">> {
    await this.#cancelWhere({ id: commandId, device_id: deviceId }, details);
    const row = await this.require(deviceId, commandId);
    if (row.state !== "cancelled")
      throw new Fault("command_over", `Cannot cancel the command: it is ${row.state}`);
    return row;
  }

  /**
   * Cancels a rollout's pending commands. Devices that have received them may still execute them.
   * @param transaction runs as a part of it
   * @param deviceIds all devices by default
   */
  async cancelRollout(
    rolloutId: string,
    transaction?: Transaction<Tables>,
    deviceIds?: readonly string[],
  ): Promise<void> {
    const details: EventDetails = { by: { kind: "rollout", id: rolloutId } };
    if (!deviceIds) return this.#cancelWhere({ rollout_id: rolloutId }, details, transaction);
    for (const piece of inPieces(deviceIds))
      await this.#cancelWhere({ rollout_id: rolloutId, device_id: piece }, details, transaction);
  }

  /** Cancels the pending commands of a device that its account no longer holds. */
  cancelDevice(deviceId: string, transaction: Transaction<Tables>): Promise<void> {
    return this.#cancelWhere({ device_id: deviceId }, { reason: "released" }, transaction);
  }

  /** Ends commands whose time is over, at most `limit` of them. */
  async expire(limit: number): Promise<void> {
    const { config, database, dialect, now } = this.#context;
    const expired = await retriedTransaction(database, async (transaction) => {
      const options = { now: now(), defaultMs: config.expireMs, limit };
      const rows = await expirePending(transaction, options);
      await resetApps({ ...this.#context, database: transaction, now: options.now }, rows);
      const events = commandEvents(rows, "cancelled", options.now, { reason: "expired" });
      await writeEvents(transaction, dialect, events);
      await recordEnded(transaction, rows, options.now);
      return rows;
    });
    this.#reportEnded(expired);
  }

  /** Deletes the ended commands of these devices, except for the newest hundred of each: see {@link deleteEnded}. */
  async deleteOld(deviceIds: readonly string[]): Promise<void> {
    const { database } = this.#context;
    for (const deviceId of await devicesAbove(database, deviceIds, ENDED_LIMIT))
      await deleteEnded(database, deviceId, ENDED_LIMIT);
  }

  /** Registers a callback that sends new commands to devices of this process, over the connections that they name. */
  onStored(callback: (commands: readonly Row<"commands">[]) => void): void {
    this.#onStored.push(callback);
  }

  /**
   * Registers a callback for commands whose end this process has recorded, but for those that it has cancelled in a
   * transaction of the caller's. It is called soon after; the callbacks that are due when the process ends are lost.
   */
  onEnded(callback: (commands: readonly ChangedCommand[]) => void): void {
    this.#onEnded.push(callback);
  }

  async #cancelWhere(
    filter: CommandFilter,
    details: EventDetails,
    transaction?: Transaction<Tables>,
  ): Promise<void> {
    const now = this.#context.now();
    const work = async (within: Transaction<Tables>) => {
      const cancelled = await cancelPending(within, filter, now);
      await resetApps({ ...this.#context, database: within, now }, cancelled);
      const events = commandEvents(cancelled, "cancelled", now, details);
      await writeEvents(within, this.#context.dialect, events);
      return cancelled;
    };
    if (transaction) await work(transaction);
    else this.#reportEnded(await retriedTransaction(this.#context.database, work));
  }

  #publish(holders: ReadonlyMap<string, string>, commands: readonly Row<"commands">[]): void {
    const devices = new Map<string, string[]>();
    for (const [deviceId, processId] of holders) {
      if (processId === this.#context.processId) continue;
      if (!devices.get(processId)?.push(deviceId)) devices.set(processId, [deviceId]);
    }
    if (devices.size === 0) return;
    const idOf = new Map(commands.map(({ id, device_id }) => [device_id, id]));
    for (const [processId, ids] of devices)
      for (let at = 0; at < ids.length; at += NAMED_DEVICES_LIMIT) {
        const device_ids = ids.slice(at, at + NAMED_DEVICES_LIMIT);
        const command_ids = device_ids.flatMap((id) => idOf.get(id) ?? []);
        this.#context.bus.publish(`process.${processId}`, { kind: "commands", device_ids, command_ids });
      }
  }

  #logResults(commands: readonly ChangedCommand[]): void {
    for (const { id, device_id, state, progress, error } of commands)
      this.#context.logger.debug(
        { command: id, device: device_id, state, progress, error },
        "a command has a result",
      );
  }

  #reportEnded(commands: readonly ChangedCommand[]): void {
    if (commands.length === 0) return;
    for (const callback of this.#onEnded) queueMicrotask(() => callback(commands));
  }
}

function inOrder(commands: Row<"commands">[]): readonly Row<"commands">[] {
  return commands.sort((a, b) => a.position - b.position);
}
