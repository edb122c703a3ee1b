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
  devicesAbove,
  expirePending,
  lockDevices,
  markUnsent,
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
  /** Whether the version may be older than the installed one. */
  readonly allowsDowngrade?: boolean;
  /** When the command is cancelled if it is still pending; by default, after `SVC_HUB_EXPIRE_DAYS`. */
  readonly expiresAt?: number | undefined;
}

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

/** Ended commands to keep per device. */
const ENDED_LIMIT = 100;

/** Above this number of devices, a notification does not name them: each process queries its own. */
const NAMED_DEVICES_LIMIT = 200;

export class Commands {
  readonly #context: HubContext;
  readonly #onEnded: ((commands: readonly Row<"commands">[]) => void)[] = [];

  constructor(context: HubContext) {
    this.#context = context;
  }

  /**
   * Stores commands, and notifies the connected devices. Each command replaces the pending one for the same device and
   * subject. Takes few statements for any number of devices.
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

  /** Notifies the processes that hold these devices of new commands. The notification may be lost. */
  async notify(deviceIds: readonly string[]): Promise<void> {
    this.#publish(await this.#holders(deviceIds));
  }

  /**
   * Dequeues commands for sending: pending commands of devices that this process holds, not yet sent over their present
   * connection. Returns each command once per connection, to one caller only.
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
    const dequeued: Row<"commands">[] = [];
    for (const piece of inPieces(deviceIds)) dequeued.push(...(await dequeuePending(this.#context, piece)));
    return inOrder(dequeued);
  }

  /** Makes commands that were dequeued, but not sent, available again. */
  async unsend(commandIds: readonly string[]): Promise<void> {
    for (const piece of inPieces(commandIds)) await markUnsent(this.#context.database, piece);
  }

  /** Applies the results that devices have sent: all of them or, if this throws, none. */
  async apply(results: readonly DeviceResult[]): Promise<void> {
    this.#reportEnded(await applyResults(this.#context, results));
  }

  /** Applies the versions that devices report to run: the only answer of some devices to a firmware command. */
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
   * Cancels a pending command. A device that has received it may still execute it.
   * @throws {Fault} `command_not_found`; `command_over` for a command that has ended otherwise
   */
  async cancel(deviceId: string, commandId: string): Promise<Row<"commands">> {
    await this.#cancelWhere({ id: commandId, device_id: deviceId });
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
    if (!deviceIds) return this.#cancelWhere({ rollout_id: rolloutId }, transaction);
    for (const piece of inPieces(deviceIds))
      await this.#cancelWhere({ rollout_id: rolloutId, device_id: piece }, transaction);
  }

  /** Cancels the pending commands of a device that its account no longer holds. */
  cancelDevice(deviceId: string, transaction: Transaction<Tables>): Promise<void> {
    return this.#cancelWhere({ device_id: deviceId }, transaction);
  }

  /** Ends commands whose time is over, at most `limit` of them. */
  async expire(limit: number): Promise<void> {
    const { config, database, now } = this.#context;
    const expired = await retriedTransaction(database, async (transaction) => {
      const options = { now: now(), defaultMs: config.expireMs, limit };
      const rows = await expirePending(transaction, options);
      await resetApps(transaction, rows, options.now);
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

  /**
   * Registers a callback for rollout commands whose end this process has recorded. It is called soon after; the
   * callbacks that are due when the process ends are lost.
   */
  onEnded(callback: (commands: readonly Row<"commands">[]) => void): void {
    this.#onEnded.push(callback);
  }

  #rowsOf(orders: readonly Order[], rolloutId: string | null): readonly NewCommand[] {
    const now = this.#context.now();
    const usual = now + this.#context.config.expireMs;
    const rows = orders.map(({ deviceId, kind, subject, version, allowsDowngrade, expiresAt = usual }) => ({
      ...{ id: randomUUID(), device_id: deviceId, kind, subject, version, ...INITIAL },
      ...{ rollout_id: rolloutId, created_at: now, updated_at: now },
      ...{ allows_downgrade: allowsDowngrade ? 1 : 0, expires_at: expiresAt },
    }));
    // All writers to several devices lock them in this order, which prevents deadlocks.
    return rows.sort((a, b) => (a.device_id < b.device_id ? -1 : 1));
  }

  /** @returns the commands that these have replaced */
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

  /** The processes that hold the online devices: see {@link processesHolding}. */
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
