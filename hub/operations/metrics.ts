/**
 * Metrics for Prometheus: this process's requests, connections and resources, and the hub's totals from the database,
 * which every process reports alike.
 */
import { statfs } from "node:fs/promises";
import { sql } from "kysely";
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";
import { PENDING } from "../commands/command-rows.js";
import type { HubContext } from "../context.js";
import { requireWritable } from "../database/database-unavailable.js";
import type { Database, RolloutState, Row } from "../database/schema.js";
import { grouped } from "../grouped.js";
import type { DeviceEvent } from "../history/device-events.js";
import { COMPILE_OUTCOMES, type CompileOutcome } from "../images/image-compiler.js";
import { RecentMap } from "../recent-map.js";
import { commandEvent } from "../webhooks/events.js";
import type { DeliveryOutcome } from "../webhooks/webhook-dispatcher.js";
import { RequestTimes } from "./request-times.js";

/** A part that does not answer in this time is down: load balancers wait a few seconds at most. */
export const PROBE_TIMEOUT_MS = 2_000;

/** A console is counted again after this time. */
const COUNT_CRASH_MS = 3_600_000;
/** Consoles whose last crash this process remembers. */
const CRASHED_LIMIT = 40_000;

/** Rejects when the time is over. Does not stop the task. */
export async function withTimeout<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`It took more than ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Time for which a result is kept, as a multiple of the time that it took. */
const REST = 20;

/**
 * Keeps the result of work for {@link REST} times as long as the work took, so that it takes a twentieth of the time at
 * most, however often it is asked for: counting a few rows is done each time, counting millions every few seconds. Callers
 * that ask during the work share its result.
 */
export class KeptResult<Result> {
  readonly #work: () => Promise<Result>;
  readonly #now: () => number;
  #kept: { readonly result: Result; readonly untilMs: number } | undefined;
  #working: Promise<Result> | undefined;

  /** @param now milliseconds that never go back */
  constructor(work: () => Promise<Result>, now: () => number) {
    this.#work = work;
    this.#now = now;
  }

  /** Does not keep failures. */
  get(): Promise<Result> {
    if (this.#kept && this.#now() < this.#kept.untilMs) return Promise.resolve(this.#kept.result);
    this.#working ??= this.#begin().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async #begin(): Promise<Result> {
    this.#kept = undefined;
    const before = this.#now();
    const result = await this.#work();
    const after = this.#now();
    this.#kept = { result, untilMs: after + REST * (after - before) };
    return result;
  }
}

export interface MetricsOptions
  extends Pick<HubContext, "bus" | "config" | "database" | "files" | "logger" | "processId"> {
  /** Connections of this process. */
  readonly push: { readonly connections: number };
}

const DELIVERY_OUTCOMES: readonly DeliveryOutcome[] = ["delivered", "attempt_failed"];
const COMMAND_OUTCOMES = ["succeeded", "failed", "expired"];
const ROLLOUT_STATES: readonly RolloutState[] = ["running", "paused", "stopped", "cancelled", "completed"];

export class Metrics {
  readonly #options: MetricsOptions;
  readonly #registry = new Registry();
  readonly #requests = new RequestTimes();
  readonly #connections: Gauge;
  readonly #databaseUp: Gauge;
  readonly #storeUp: Gauge;
  readonly #busUp: Gauge;
  readonly #storageSize: Gauge;
  readonly #storageFree: Gauge;
  readonly #devices: Gauge;
  readonly #claimedDevices: Gauge;
  readonly #commands: Gauge;
  readonly #apps: Gauge;
  readonly #rollouts: Gauge<"state">;
  readonly #queuedDeliveries: Gauge;
  readonly #webhookAttempts: Counter<"outcome">;
  readonly #endedCommands: Counter<"outcome">;
  readonly #compilations: Counter<"outcome">;
  readonly #deviceCrashes: Counter;
  readonly #appCrashes: Counter;
  /** When a crash of each console was counted last, by `performance.now()`. */
  readonly #crashedAt = new RecentMap<string, number>(CRASHED_LIMIT);
  readonly #totals: KeptResult<Totals>;

  constructor(options: MetricsOptions) {
    this.#options = options;
    this.#totals = new KeptResult(
      () => countTotals(options.database),
      () => performance.now(),
    );
    const registers = [this.#registry];
    this.#registry.registerMetric(this.#requests as unknown as Metric);
    const gauge = (name: string, help: string) => new Gauge({ name: `svc_hub_${name}`, help, registers });
    this.#connections = gauge("connected_devices", "Devices whose push channel this process holds");
    this.#databaseUp = gauge("database_up", "1 if the database can be written to, else 0");
    this.#storeUp = gauge("store_up", "1 if files can be written, else 0");
    this.#busUp = gauge("bus_up", "1 if the bus is connected, else 0");
    this.#storageSize = gauge("storage_size_bytes", "Size of the file system of the storage");
    this.#storageFree = gauge("storage_free_bytes", "Free space there for the hub");
    this.#devices = gauge("registered_devices", "Devices in the registry");
    this.#claimedDevices = gauge("claimed_devices", "Devices that an account holds");
    this.#commands = gauge("pending_commands", "Commands without a result");
    this.#apps = gauge("published_apps", "Apps in the catalogue");
    this.#rollouts = new Gauge({
      name: "svc_hub_rollouts",
      help: "Rollouts by state",
      labelNames: ["state"],
      registers,
    });
    this.#queuedDeliveries = gauge("pending_webhook_deliveries", "Events that wait for their webhook");
    this.#webhookAttempts = new Counter({
      name: "svc_hub_webhook_attempts_total",
      help: "Attempts of this process to deliver an event, by outcome",
      labelNames: ["outcome"],
      registers,
    });
    this.#endedCommands = new Counter({
      name: "svc_hub_commands_ended_total",
      help: "Commands whose end this process has recorded, by outcome",
      labelNames: ["outcome"],
      registers,
    });
    this.#compilations = new Counter({
      name: "svc_hub_compilations_total",
      help: "Modules whose compilation has ended in this process, by outcome",
      labelNames: ["outcome"],
      registers,
    });
    const counter = (name: string, help: string) => new Counter({ name: `svc_hub_${name}`, help, registers });
    this.#deviceCrashes = counter(
      "device_crashes_total",
      "Consoles that have told this process of a crash of theirs, each at most once an hour",
    );
    this.#appCrashes = counter(
      "app_crashes_total",
      "Consoles that have told this process of a crash of an app, each at most once an hour",
    );
    for (const outcome of COMMAND_OUTCOMES) this.#endedCommands.inc({ outcome }, 0);
    for (const outcome of COMPILE_OUTCOMES) this.#compilations.inc({ outcome }, 0);
    for (const outcome of DELIVERY_OUTCOMES) this.#webhookAttempts.inc({ outcome }, 0);
    collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** @param route as in the table of endpoints, which bounds the number of labels */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.#requests.observe(method, route, status, seconds);
  }

  /** Does what `observe` does, for one row. */
  observer(method: string, route: string, status: number): (seconds: number) => void {
    return this.#requests.observer(method, route, status);
  }

  countWebhookAttempt(outcome: DeliveryOutcome): void {
    this.#webhookAttempts.inc({ outcome });
  }

  countCompilation(outcome: CompileOutcome): void {
    this.#compilations.inc({ outcome });
  }

  /** Counts what has crashed. One console that does nothing else must not look like a fleet. */
  countEvent({ deviceId, details, kind }: Omit<DeviceEvent, "at">): void {
    if (kind !== "crashed") return;
    const isOfApp = details?.app_id !== undefined;
    const key = `${deviceId} ${isOfApp}`;
    const now = performance.now();
    if (now - (this.#crashedAt.get(key) ?? Number.NEGATIVE_INFINITY) < COUNT_CRASH_MS) return;
    this.#crashedAt.set(key, now);
    (isOfApp ? this.#appCrashes : this.#deviceCrashes).inc();
  }

  /** Counts commands that have succeeded, failed or expired. */
  countEnded(commands: readonly Pick<Row<"commands">, "state" | "error">[]): void {
    for (const alike of grouped(commands, ({ state, error }) => `${state} ${error}`)) {
      const event = commandEvent(alike[0]);
      if (event !== undefined)
        this.#endedCommands.inc({ outcome: event.replace("command.", "") }, alike.length);
    }
  }

  /** Omits the totals if the database is unavailable. */
  async text(): Promise<string> {
    this.#connections.set(this.#options.push.connections);
    this.#busUp.set(this.#options.bus.isConnected ? 1 : 0);
    await Promise.all([this.#lookAtStore(), this.#lookAtStorage()]);
    try {
      await withTimeout(PROBE_TIMEOUT_MS, this.#count());
      this.#databaseUp.set(1);
    } catch (error) {
      this.#options.logger.warn({ err: error }, "cannot write to the database, or count its rows");
      this.#databaseUp.set(0);
      this.#clearCounts();
    }
    return this.#registry.metrics();
  }

  async #lookAtStore(): Promise<void> {
    try {
      await withTimeout(PROBE_TIMEOUT_MS, this.#options.files.check());
      this.#storeUp.set(1);
    } catch {
      this.#storeUp.set(0); // the part that needed it logs the cause
    }
  }

  /** Omits the sizes of a folder that is not there: with files in a bucket and rows in PostgreSQL none has to be. */
  async #lookAtStorage(): Promise<void> {
    try {
      const { bavail, blocks, bsize } = await withTimeout(
        PROBE_TIMEOUT_MS,
        statfs(this.#options.config.storagePath),
      );
      this.#storageSize.set(blocks * bsize);
      this.#storageFree.set(bavail * bsize);
    } catch {
      for (const gauge of [this.#storageSize, this.#storageFree]) gauge.remove();
    }
  }

  #clearCounts(): void {
    for (const gauge of [
      this.#devices,
      this.#claimedDevices,
      this.#commands,
      this.#apps,
      this.#queuedDeliveries,
    ])
      gauge.remove();
    for (const state of ROLLOUT_STATES) this.#rollouts.remove({ state });
  }

  /** Asks the database each time, so that kept totals do not hide that it is unavailable. */
  async #count(): Promise<void> {
    await requireWritable(this.#options);
    const { devices, claimedDevices, commands, apps, rollouts, deliveries } = await this.#totals.get();
    this.#devices.set(devices);
    this.#claimedDevices.set(claimedDevices);
    this.#commands.set(commands);
    this.#apps.set(apps);
    this.#queuedDeliveries.set(deliveries);
    for (const state of ROLLOUT_STATES) this.#rollouts.set({ state }, rollouts.get(state) ?? 0);
  }
}

interface Totals {
  readonly devices: number;
  readonly claimedDevices: number;
  /** Pending ones. */
  readonly commands: number;
  readonly apps: number;
  readonly rollouts: ReadonlyMap<RolloutState, number>;
  /** Pending ones of webhooks. */
  readonly deliveries: number;
}

async function countTotals(database: Database): Promise<Totals> {
  const counted = sql<number>`count(*)`.as("counted");
  const devices = await database.selectFrom("devices").select(counted).executeTakeFirstOrThrow();
  const claimed = await database
    .selectFrom("devices")
    .where("account_id", "is not", null)
    .select(counted)
    .executeTakeFirstOrThrow();
  const commands = await database
    .selectFrom("commands")
    .where("state", "=", PENDING)
    .select(counted)
    .executeTakeFirstOrThrow();
  const apps = await database
    .selectFrom("apps")
    .where("retracted_at", "is", null)
    .select(counted)
    .executeTakeFirstOrThrow();
  const rollouts = await database
    .selectFrom("rollouts")
    .groupBy("state")
    .select(["state", counted])
    .execute();
  const deliveries = await database
    .selectFrom("webhook_deliveries")
    .where("state", "=", PENDING)
    .select(counted)
    .executeTakeFirstOrThrow();
  return {
    deliveries: deliveries.counted,
    claimedDevices: claimed.counted,
    devices: devices.counted,
    commands: commands.counted,
    apps: apps.counted,
    rollouts: new Map(rollouts.map(({ state, counted: rows }) => [state, rows])),
  };
}
