/**
 * Commands as desired state: a command is a row until its result arrives, and is sent again on every connection. The
 * push channel sends; this module stores.
 */
import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { Page } from "../api/answers.js";
import type { HubContext } from "../context.js";
import type { CommandKind, Row, Tables } from "../database/schema.js";
import { inPieces, retriedTransaction } from "../database/transactions.js";
import { processesHolding } from "../devices/device-record.js";
import { applyResults, type DeviceResult } from "./command-results.js";
import {
  type CommandFilter,
  type CommandPage,
  cancelPending,
  commandsOf,
  deleteEnded,
  dequeuePending,
  dequeueUnsent,
  lockDevices,
  mostPending,
  type NewCommand,
  replacePending,
} from "./command-rows.js";
import { INITIAL } from "./command-state.js";
import { requestApps, resetApps } from "./device-apps.js";
import { confirmRunning, type RunningFirmware } from "./running-firmware.js";

export interface Order {
  readonly deviceId: string;
  readonly kind: CommandKind;
  /** The app's id, `""` for firmware. */
  readonly subject: string;
  /** `""` for `uninstall`. */
  readonly version: string;
  /** An older version than the installed one is what is wanted. */
  readonly allowsDowngrade?: boolean;
}

export interface QueuedCommand {
  readonly deviceId: string;
  readonly command_id: string;
  /** `sent` where the device is connected and is being notified, else `queued`. */
  readonly state: "sent" | "queued";
}

/**
 * Pending commands of a device, beyond which none is given by hand; more apps than any console has. Rollouts add one
 * each, of which an account has a limited number (docs/spec/hub-api.md#command-limit).
 */
const PENDING_LIMIT = 256;

/** Commands that are over and are kept of a device that is given another one by hand. */
const ENDED_LIMIT = 100;

/** Above this number of devices, each process queries which of its own have commands. */
const NAMED_DEVICES_LIMIT = 200;

export class Commands {
  readonly #context: HubContext;
  readonly #onEnded: ((commands: readonly Row<"commands">[]) => void)[] = [];

  constructor(context: HubContext) {
    this.#context = context;
  }

  /**
   * Stores commands, each in place of the pending one for the same device and subject, and notifies the connected
   * devices. Any number of devices in a few statements.
   * @param orders at most one per device and subject
   * @param rolloutId the rollout whose commands they are
   * @param transaction writes them as a part of it, without notification; call {@link notify} after the commit
   * @throws {Fault} `too_many_commands`, except for commands of a rollout
   */
  async enqueue(
    orders: readonly Order[],
    rolloutId?: string,
    transaction?: Transaction<Tables>,
  ): Promise<readonly QueuedCommand[]> {
    const rows = this.#rowsOf(orders, rolloutId ?? null);
    if (transaction) await this.#write(transaction, rows);
    else
      this.#reportEnded(
        await retriedTransaction(this.#context.database, (within) => this.#write(within, rows)),
      );
    const deviceIds = rows.map(({ device_id }) => device_id);
    const holders = await this.#holders(deviceIds, transaction);
    if (!transaction) this.#publish(holders);
    return rows.map(({ id, device_id }) => ({
      deviceId: device_id,
      command_id: id,
      state: holders.has(device_id) ? "sent" : "queued",
    }));
  }

  /** Notifies these devices, where connected, that they have commands. A hint, which may be lost. */
  async notify(deviceIds: readonly string[]): Promise<void> {
    this.#publish(await this.#holders(deviceIds));
  }

  /**
   * Dequeues commands for sending: pending commands of devices that this process holds, not yet sent over their present
   * connection. Returns each command once per connection, to one caller only.
   * @param deviceIds restricts to these devices; all of the process's when left out
   * @returns in the order in which they were given; at most one batch, so call until it returns none
   */
  async dequeue(deviceIds?: readonly string[]): Promise<readonly Row<"commands">[]> {
    const dequeued: Row<"commands">[] = [];
    for (const piece of deviceIds ? inPieces(deviceIds) : [undefined])
      dequeued.push(...(await dequeueUnsent(this.#context, piece)));
    return inOrder(dequeued);
  }

  /** All that is pending of these devices of this process, for saying it over connections that have just begun. */
  async dequeueAll(deviceIds: readonly string[]): Promise<readonly Row<"commands">[]> {
    const dequeued: Row<"commands">[] = [];
    for (const piece of inPieces(deviceIds)) dequeued.push(...(await dequeuePending(this.#context, piece)));
    return inOrder(dequeued);
  }

  /** Applies the results that devices have sent, for any number of commands; all or, where this throws, none. */
  async apply(results: readonly DeviceResult[]): Promise<void> {
    this.#reportEnded(await applyResults(this.#context, results));
  }

  /** Applies the versions that devices report to run, for some the only answer to a firmware command. */
  async confirm(running: readonly RunningFirmware[]): Promise<void> {
    this.#reportEnded(await confirmRunning(this.#context, running));
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
   * Cancels a pending command. A device that has received it already may execute it all the same.
   * @throws {Fault} `command_not_found`; `command_over` for one that has ended otherwise
   */
  async cancel(deviceId: string, commandId: string): Promise<Row<"commands">> {
    await this.#cancelWhere({ id: commandId, device_id: deviceId });
    const row = await this.require(deviceId, commandId);
    if (row.state !== "cancelled")
      throw new Fault("command_over", `Cannot cancel the command: it is ${row.state}`);
    return row;
  }

  /**
   * Cancels a rollout's pending commands; devices that have received theirs already may execute them all the same.
   * @param transaction of which it is a part, where there is one
   * @param deviceIds only for these
   */
  async cancelRollout(
    rolloutId: string,
    transaction?: Transaction<Tables>,
    deviceIds?: readonly string[],
  ): Promise<void> {
    if (!deviceIds) return this.#cancelWhere({ rollout_id: rolloutId }, transaction);
    for (const piece of inPieces(deviceIds))
      await this.#cancelWhere({ rollout_id: rolloutId, device_id: piece }, transaction);
  }

  /** What is still pending of a device will not be done: who gave it holds the device no more. */
  cancelDevice(deviceId: string, transaction: Transaction<Tables>): Promise<void> {
    return this.#cancelWhere({ device_id: deviceId }, transaction);
  }

  /**
   * Calls back with the commands of rollouts that this process has seen end, soon after. Other processes call back for
   * theirs. The end of this process loses callbacks that are still due.
   */
  onEnded(callback: (commands: readonly Row<"commands">[]) => void): void {
    this.#onEnded.push(callback);
  }

  #rowsOf(orders: readonly Order[], rolloutId: string | null): readonly NewCommand[] {
    const now = this.#context.now();
    const rows = orders.map(({ deviceId, kind, subject, version, allowsDowngrade }) => ({
      ...{ id: randomUUID(), device_id: deviceId, kind, subject, version, ...INITIAL },
      ...{ rollout_id: rolloutId, created_at: now, updated_at: now },
      allows_downgrade: allowsDowngrade ? 1 : 0,
    }));
    // All writers to several devices lock them in this order, which prevents deadlocks.
    return rows.sort((a, b) => (a.device_id < b.device_id ? -1 : 1));
  }

  /** @returns the commands in whose place these have come */
  async #write(transaction: Transaction<Tables>, rows: readonly NewCommand[]): Promise<Row<"commands">[]> {
    const now = this.#context.now();
    const isManual = rows.some(({ rollout_id }) => rollout_id === null);
    const replaced: Row<"commands">[] = [];
    for (const piece of inPieces(rows)) {
      await lockDevices(transaction, this.#context.dialect, piece);
      replaced.push(...(await replacePending(transaction, piece, now)));
      await transaction.insertInto("commands").values(piece).execute();
      if (isManual && (await mostPending(transaction, piece)) > PENDING_LIMIT)
        throw new Fault("too_many_commands", `A device can have at most ${PENDING_LIMIT} pending commands`);
    }
    await requestApps(transaction, rows, now);
    if (isManual) for (const { device_id } of rows) await deleteEnded(transaction, device_id, ENDED_LIMIT);
    return replaced;
  }

  async #cancelWhere(filter: CommandFilter, transaction?: Transaction<Tables>): Promise<void> {
    const now = this.#context.now();
    const work = async (within: Transaction<Tables>) => {
      const cancelled = await cancelPending(within, filter, now);
      await resetApps(within, cancelled, now);
      return cancelled;
    };
    if (transaction) await work(transaction);
    else this.#reportEnded(await retriedTransaction(this.#context.database, work));
  }

  /** The processes that hold the connections of those of the devices that are online. */
  #holders(
    deviceIds: readonly string[],
    transaction?: Transaction<Tables>,
  ): Promise<ReadonlyMap<string, string>> {
    return processesHolding(transaction ?? this.#context.database, deviceIds, this.#context.now());
  }

  #publish(holders: ReadonlyMap<string, string>): void {
    const devices = new Map<string, string[]>();
    for (const [deviceId, processId] of holders)
      if (!devices.get(processId)?.push(deviceId)) devices.set(processId, [deviceId]);
    for (const [processId, device_ids] of devices)
      this.#context.bus.publish(
        `process.${processId}`,
        device_ids.length > NAMED_DEVICES_LIMIT ? { kind: "sweep" } : { kind: "commands", device_ids },
      );
  }

  #reportEnded(commands: readonly Row<"commands">[]): void {
    const ofRollouts = commands.filter(({ rollout_id }) => rollout_id !== null);
    if (ofRollouts.length === 0) return;
    for (const callback of this.#onEnded) queueMicrotask(() => callback(ofRollouts));
  }
}

function inOrder(commands: Row<"commands">[]): readonly Row<"commands">[] {
  return commands.sort((a, b) => a.position - b.position);
}
