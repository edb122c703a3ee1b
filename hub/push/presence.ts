/**
 * Records in the database which process holds each device's connection, and what devices report about themselves. Each
 * connection gets the device's next number. All its writes carry that number and have no effect once a higher one
 * exists (the fence). Writes are batched: after a restart all devices reconnect at once.
 */
import { sql } from "kysely";
import { Batch } from "../batch.js";
import type { Commands } from "../commands/commands.js";
import type { HubContext } from "../context.js";
import type { Database, Row } from "../database/schema.js";
import { isOneOf, retriedTransaction, tableOf, type Value } from "../database/transactions.js";
import { startEvent } from "../history/device-events.js";
import type { History } from "../history/history.js";
import type { InstalledApp, StartFields, StatusFields } from "./device-message.js";

/** The fence of a new connection: its number, and the device's state to send over it. */
export interface Fence {
  readonly connection: number;
  /** Whether the device cannot be claimed: an account holds it, or it must replace its token first. */
  readonly isClaimed: boolean;
  readonly arch: string;
  /** The token rotation to request; `null` for none. */
  readonly rotationId: string | null;
  /** The revocation list that the device has, or has a newer list than. */
  readonly revocationsId: string | null;
  /** The process that may hold the previous connection. */
  readonly previousProcessId: string | null;
}

interface FenceRequest {
  readonly deviceId: string;
  readonly resolve: (taken: Fence) => void;
  readonly reject: (error: unknown) => void;
}

interface Disconnect {
  readonly deviceId: string;
  readonly connection: number;
}

interface AppsReport extends Disconnect {
  readonly apps: readonly InstalledApp[];
}

interface StartReport extends Disconnect {
  readonly started: StartFields;
}

interface StatusReport extends Disconnect {
  readonly status: StatusFields;
}

const BATCH_LIMIT = 500;
const FENCE_DELAY_MS = 2;
const DISCONNECT_DELAY_MS = 10;
const STATUS_DELAY_MS = 100;

/** Disconnects that the database did not store are written again after this time. */
const DISCONNECT_RETRY_MS = 1000;

export interface PresenceOptions extends HubContext {
  readonly commands: Commands;
  readonly history: Pick<History, "add">;
}

export class Presence {
  readonly #context: PresenceOptions;
  readonly #fenceRequests: Batch<FenceRequest>;
  readonly #disconnects: Batch<Disconnect>;
  readonly #statusReports: Batch<StatusReport>;
  readonly #startReports: Batch<StartReport>;
  readonly #appsReports: Batch<AppsReport>;
  readonly #retryTimers = new Set<NodeJS.Timeout>();

  constructor(context: PresenceOptions) {
    this.#context = context;
    const { logger } = context;
    this.#fenceRequests = new Batch<FenceRequest>({
      limit: BATCH_LIMIT,
      delayMs: FENCE_DELAY_MS,
      write: (requests) => this.#grantFences(requests),
      onFailed: (requests, error) => {
        for (const { reject } of requests) reject(error);
      },
    });
    this.#disconnects = new Batch<Disconnect>({
      limit: BATCH_LIMIT,
      delayMs: DISCONNECT_DELAY_MS,
      write: (disconnects) => this.#writeDisconnects(disconnects),
      onFailed: (disconnects, error) => {
        logger.warn(
          { err: error, devices: disconnects.length },
          "cannot mark disconnected devices as offline yet",
        );
        this.#retryDisconnects(disconnects);
      },
    });
    this.#statusReports = new Batch<StatusReport>({
      limit: BATCH_LIMIT,
      delayMs: STATUS_DELAY_MS,
      write: (reports) => this.#writeStatuses(reports),
      onFailed: (reports, error) =>
        logger.warn({ err: error, devices: reports.length }, "lost the status of devices"),
    });
    this.#startReports = new Batch<StartReport>({
      limit: BATCH_LIMIT,
      delayMs: STATUS_DELAY_MS,
      write: (reports) => this.#writeStarts(reports),
      onFailed: (reports, error) =>
        logger.warn({ err: error, devices: reports.length }, "lost the starts of devices"),
    });
    this.#appsReports = new Batch<AppsReport>({
      limit: BATCH_LIMIT,
      delayMs: STATUS_DELAY_MS,
      write: (reports) => this.#writeApps(reports),
      onFailed: (reports, error) =>
        logger.warn({ err: error, devices: reports.length }, "lost the app lists of devices"),
    });
  }

  /** Assigns the device to this process. Its older connections become stale. */
  takeFence(deviceId: string): Promise<Fence> {
    return new Promise((resolve, reject) => this.#fenceRequests.add({ deviceId, resolve, reject }));
  }

  /** Marks the device as offline, unless it has a newer connection. */
  disconnect(deviceId: string, connection: number): void {
    this.#disconnects.add({ deviceId, connection });
  }

  recordStatus(deviceId: string, connection: number, status: StatusFields): void {
    this.#statusReports.add({ deviceId, connection, status });
  }

  /** Records the device's start in its history, unless it is the one of the device's last report. */
  recordStart(deviceId: string, connection: number, started: StartFields): void {
    this.#startReports.add({ deviceId, connection, started });
  }

  recordApps(deviceId: string, connection: number, apps: readonly InstalledApp[]): void {
    this.#appsReports.add({ deviceId, connection, apps });
  }

  /** Records that the device has this revocation list, or a newer one. */
  async recordRevocations(deviceId: string, connection: number, revocations_id: string): Promise<void> {
    await this.#context.database
      .updateTable("devices")
      .set({ revocations_id })
      .where("id", "=", deviceId)
      .where("connection", "=", connection)
      .execute();
  }

  /** Reads the devices' rows, to compare them with the connections. */
  async connectionRows(
    deviceIds: readonly string[],
  ): Promise<
    readonly Pick<Row<"devices">, "id" | "connection" | "process_id" | "claim_code" | "rotation_id">[]
  > {
    return await this.#context.database
      .selectFrom("devices")
      .select(["id", "connection", "process_id", "claim_code", "rotation_id"])
      .where("id", "in", deviceIds)
      .execute();
  }

  /** Assigns the device to this process again, after another one removed this process. No-op for a stale connection. */
  async reclaim(deviceId: string, connection: number): Promise<void> {
    const { database, processId } = this.#context;
    await database
      .updateTable("devices")
      .set({ process_id: processId })
      .where("id", "=", deviceId)
      .where("connection", "=", connection)
      .execute();
  }

  /**
   * Raises the number of the device's last connection to one that the database has lost, so that the next connection
   * gets a higher one: the end of the lost connection must not count for it.
   */
  async restoreNumber(deviceId: string, connection: number): Promise<void> {
    await this.#context.database
      .updateTable("devices")
      .set({ connection, process_id: null })
      .where("id", "=", deviceId)
      .where("connection", "<", connection)
      .execute();
  }

  /** Resolves when every app list reported so far is stored, or its write has failed. */
  appsStored(): Promise<void> {
    return this.#appsReports.drain();
  }

  /** Resolves when all pending writes are complete, or have failed. */
  async close(): Promise<void> {
    await Promise.all([
      this.#fenceRequests.drain(),
      this.#disconnects.drain(),
      this.#statusReports.drain(),
      this.#startReports.drain(),
      this.#appsReports.drain(),
    ]);
    for (const timer of this.#retryTimers) clearTimeout(timer);
  }

  /** A device that connects twice gets two numbers in sequence. */
  async #grantFences(requests: readonly FenceRequest[]): Promise<void> {
    const first = new Map<string, FenceRequest>();
    const again = requests.filter((request) => {
      if (first.has(request.deviceId)) return true;
      first.set(request.deviceId, request);
      return false;
    });
    const fences = await this.#writeFences([...first.keys()].sort());
    for (const { deviceId, resolve, reject } of first.values()) {
      const fence = fences.get(deviceId);
      if (fence) resolve(fence);
      else reject(new Error("The device is no longer registered"));
    }
    if (again.length > 0) await this.#grantFences(again);
  }

  #writeFences(deviceIds: readonly string[]): Promise<ReadonlyMap<string, Fence>> {
    return retriedTransaction(this.#context.database, async (transaction) => {
      const fences = new Map<string, Fence>();
      await this.#writeFencesOf(transaction, deviceIds, fences);
      return fences;
    });
  }

  async #writeFencesOf(
    database: Database,
    ids: readonly string[],
    fences: Map<string, Fence>,
  ): Promise<void> {
    const { dialect, now, processId } = this.#context;
    const previous = await this.#lockProcesses(database, ids);
    const taken = await database
      .updateTable("devices")
      .set((eb) => ({ connection: eb("connection", "+", 1), process_id: processId, last_seen_at: now() }))
      .where(isOneOf(dialect, "id", ids))
      .returning(["id", "connection", "claim_code", "arch", "rotation_id", "revocations_id"])
      .execute();
    for (const { id, connection, claim_code, arch, rotation_id, revocations_id } of taken)
      fences.set(id, {
        connection,
        arch,
        isClaimed: claim_code === null,
        rotationId: rotation_id,
        revocationsId: revocations_id,
        previousProcessId: previous.get(id) ?? null,
      });
  }

  /** @returns the processes that hold the devices, by device; none with SQLite, which one process has to itself */
  async #lockProcesses(
    database: Database,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string | null>> {
    const { dialect } = this.#context;
    if (dialect === "sqlite") return new Map();
    const rows = await database
      .selectFrom("devices")
      .select(["id", "process_id"])
      .where(isOneOf(dialect, "id", ids))
      .orderBy("id")
      .forNoKeyUpdate()
      .execute();
    return new Map(rows.map(({ id, process_id }) => [id, process_id]));
  }

  async #writeDisconnects(disconnects: readonly Disconnect[]): Promise<void> {
    const { database } = this.#context;
    const mark = markDisconnected(this.#context, disconnects);
    await retriedTransaction(database, (transaction) => mark.execute(transaction));
  }

  #retryDisconnects(disconnects: readonly Disconnect[]): void {
    const timer = setTimeout(() => {
      this.#retryTimers.delete(timer);
      for (const disconnect of disconnects) this.#disconnects.add(disconnect);
    }, DISCONNECT_RETRY_MS);
    this.#retryTimers.add(timer);
  }

  async #writeStarts(reports: readonly StartReport[]): Promise<void> {
    const { database, dialect, history } = this.#context;
    const newest = newestOf(reports);
    const rows = newest.map(({ deviceId, connection, started }) => [deviceId, connection, started.boot]);
    const changed = await retriedTransaction(database, (transaction) =>
      sql<Pick<Row<"devices">, "id" | "connection">>`
        with reported (id, connection, boot) as (${tableOf(dialect, rows)})
        update devices set boot = reported.boot
        from reported where devices.id = reported.id and devices.connection = reported.connection
          and devices.boot is distinct from reported.boot
        returning devices.id, devices.connection`.execute(transaction),
    );
    const told = new Set(changed.rows.map(({ id, connection }) => `${id} ${connection}`));
    for (const { deviceId, connection, started } of newest)
      if (told.has(`${deviceId} ${connection}`)) history.add(startEvent(deviceId, connection, started));
  }

  async #writeApps(reports: readonly AppsReport[]): Promise<void> {
    const { database, dialect, now } = this.#context;
    const rows = newestOf(reports).map(({ deviceId, connection, apps }): Value[] => {
      return [deviceId, connection, JSON.stringify(apps)];
    });
    await retriedTransaction(database, (transaction) =>
      sql`
        with reported (id, connection, apps) as (${tableOf(dialect, rows)})
        update devices set apps = reported.apps, apps_at = ${now()}
        from reported where devices.id = reported.id and devices.connection = reported.connection`.execute(
        transaction,
      ),
    );
  }

  async #writeStatuses(reports: readonly StatusReport[]): Promise<void> {
    const { commands, database, dialect, now } = this.#context;
    const newest = newestOf(reports);
    const rows = newest.map(valuesOf);
    await retriedTransaction(database, (transaction) =>
      sql`
        with reported (id, connection, status, firmware_version) as (${tableOf(dialect, rows)})
        update devices set status = reported.status, firmware_version = reported.firmware_version, last_seen_at = ${now()}
        from reported where devices.id = reported.id and devices.connection = reported.connection`.execute(
        transaction,
      ),
    );
    await commands.confirm(
      newest.map(({ deviceId, connection, status }) => ({
        deviceId,
        connection,
        version: status.firmware_version,
      })),
    );
  }
}

/** The statement that marks devices as offline, unless they have newer connections. */
export function markDisconnected(
  { dialect, now, processId }: Pick<HubContext, "dialect" | "now" | "processId">,
  disconnects: readonly Disconnect[],
) {
  const rows = [...disconnects].sort(byDevice).map(({ deviceId, connection }) => [deviceId, connection]);
  // "coalesce" keeps SQLite from going through all consoles of the process for each of them.
  return sql`
    with gone (id, connection) as (${tableOf(dialect, rows)})
    update devices set process_id = null, last_seen_at = ${now()}
    from gone where devices.id = gone.id and devices.connection = gone.connection
      and coalesce(devices.process_id, '') = ${processId}`;
}

/** All writers to several devices lock them in this order, which prevents deadlocks. */
function byDevice(a: Disconnect, b: Disconnect): number {
  return a.deviceId < b.deviceId ? -1 : 1;
}

/** The last report of each connection. */
function newestOf<Report extends Disconnect>(reports: readonly Report[]): readonly Report[] {
  const newest = new Map(reports.map((report) => [`${report.deviceId} ${report.connection}`, report]));
  return [...newest.values()].sort(byDevice);
}

function valuesOf({ deviceId, connection, status }: StatusReport): Value[] {
  return [deviceId, connection, JSON.stringify(status), status.firmware_version];
}
