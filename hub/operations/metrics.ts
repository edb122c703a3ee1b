/**
 * Metrics for Prometheus: this process's requests, connections and resources, and the hub's totals from the database,
 * which every process reports alike.
 */
import { sql } from "kysely";
import { collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";
import type { HubContext } from "../context.js";
import type { RolloutState } from "../database/schema.js";
import { PROBE_LIMIT_MS } from "./limits.js";
import { RequestTimes } from "./request-times.js";
import { within } from "./within.js";

export interface MetricsOptions extends Pick<HubContext, "database" | "logger"> {
  /** Connections of this process. */
  readonly push: { readonly connections: number };
}

const ROLLOUT_STATES: readonly RolloutState[] = ["running", "paused", "stopped", "cancelled", "completed"];

export class Metrics {
  readonly #options: MetricsOptions;
  readonly #registry = new Registry();
  readonly #requests = new RequestTimes();
  readonly #connections: Gauge;
  readonly #databaseUp: Gauge;
  readonly #devices: Gauge;
  readonly #commands: Gauge;
  readonly #apps: Gauge;
  readonly #rollouts: Gauge<"state">;

  constructor(options: MetricsOptions) {
    this.#options = options;
    const registers = [this.#registry];
    this.#registry.registerMetric(this.#requests as unknown as Metric);
    const gauge = (name: string, help: string) => new Gauge({ name: `svc_hub_${name}`, help, registers });
    this.#connections = gauge("connected_devices", "Devices whose push channel this process holds");
    this.#databaseUp = gauge("database_up", "1 while the database answers");
    this.#devices = gauge("registered_devices", "Devices in the registry");
    this.#commands = gauge("pending_commands", "Commands whose result has not come yet");
    this.#apps = gauge("published_apps", "Apps in the catalogue");
    this.#rollouts = new Gauge({
      name: "svc_hub_rollouts",
      help: "Rollouts by state",
      labelNames: ["state"],
      registers,
    });
    collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** @param route as in the table, so that there are only so many */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.#requests.observe(method, route, status, seconds);
  }

  /** What cannot be counted now is left out. */
  async text(): Promise<string> {
    this.#connections.set(this.#options.push.connections);
    try {
      await within(PROBE_LIMIT_MS, this.#count());
      this.#databaseUp.set(1);
    } catch (error) {
      this.#options.logger.warn({ err: error }, "Cannot count what is in the database");
      this.#databaseUp.set(0);
      this.#forgetCounts();
    }
    return this.#registry.metrics();
  }

  #forgetCounts(): void {
    for (const gauge of [this.#devices, this.#commands, this.#apps]) gauge.remove();
    for (const state of ROLLOUT_STATES) this.#rollouts.remove({ state });
  }

  async #count(): Promise<void> {
    const { database } = this.#options;
    const counted = sql<number>`count(*)`.as("counted");
    const devices = await database.selectFrom("devices").select(counted).executeTakeFirstOrThrow();
    const commands = await database
      .selectFrom("commands")
      .where("state", "=", sql.lit("pending" as const)) // a literal: only then is the index of pending ones used
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
    this.#devices.set(devices.counted);
    this.#commands.set(commands.counted);
    this.#apps.set(apps.counted);
    const byState = new Map(rollouts.map(({ state, counted: rows }) => [state, rows]));
    for (const state of ROLLOUT_STATES) this.#rollouts.set({ state }, byState.get(state) ?? 0);
  }
}
