/**
 * Metrics for Prometheus: this process's requests, connections and resources, and the hub's totals from the database,
 * which every process reports alike.
 */
import { sql } from "kysely";
import { collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";
import { PENDING } from "../commands/command-rows.js";
import type { HubContext } from "../context.js";
import type { RolloutState } from "../database/schema.js";

/** A part that does not answer in this time is down: load balancers wait a few seconds at most. */
export const PROBE_TIMEOUT_MS = 2_000;

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

// Request durations as a Prometheus histogram, rendered on each scrape. The library's own histogram sorts and joins the
// labels of each observation, which takes longer than some requests.

/** Upper bounds in seconds: from a cached answer to an upload over a slow line. */
const BOUNDS = Object.freeze([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]);
const NAME = "svc_hub_http_request_duration_seconds";

interface Row {
  readonly labels: Readonly<Record<"method" | "route" | "status", string>>;
  /** Requests by the bound that they are withTimeout, and last those beyond all. */
  readonly counts: number[];
  seconds: number;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

class RequestTimes {
  readonly #rows = new Map<string, Row>();

  /** @param route as in the table of endpoints, which bounds the number of labels */
  observe(method: string, route: string, status: number, seconds: number): void {
    const key = `${method} ${status} ${route}`;
    let row = this.#rows.get(key);
    if (!row) {
      const counts = new Array(BOUNDS.length + 1).fill(0);
      row = { labels: { method, route, status: String(status) }, counts, seconds: 0 };
      this.#rows.set(key, row);
    }
    row.seconds += seconds;
    const within = BOUNDS.findIndex((bound) => seconds <= bound);
    const at = within < 0 ? BOUNDS.length : within;
    row.counts[at] = (row.counts[at] as number) + 1;
  }

  /** Called by the registry of prom-client. */
  get() {
    return {
      name: NAME,
      help: "Requests by method, route and status",
      type: "histogram" as const,
      aggregator: "sum" as const,
      values: [...this.#rows.values()].flatMap(samplesOf),
    };
  }

  /** The registry's name for this metric. */
  get name(): string {
    return NAME;
  }
}

/** Buckets are cumulative. */
function samplesOf({ labels, counts, seconds }: Row): Sample[] {
  let count = 0;
  const buckets = [...BOUNDS, "+Inf"].map((le, index) => {
    count += counts[index] as number;
    return { metricName: `${NAME}_bucket`, labels: { ...labels, le }, value: count };
  });
  const sum = { metricName: `${NAME}_sum`, labels, value: seconds };
  return [...buckets, sum, { metricName: `${NAME}_count`, labels, value: count }];
}

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
    this.#databaseUp = gauge("database_up", "1 if the database answers, else 0");
    this.#devices = gauge("registered_devices", "Devices in the registry");
    this.#commands = gauge("pending_commands", "Commands without a result");
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

  /** @param route as in the table of endpoints, which bounds the number of labels */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.#requests.observe(method, route, status, seconds);
  }

  /** Omits the totals if the database is unavailable. */
  async text(): Promise<string> {
    this.#connections.set(this.#options.push.connections);
    try {
      await withTimeout(PROBE_TIMEOUT_MS, this.#count());
      this.#databaseUp.set(1);
    } catch (error) {
      this.#options.logger.warn({ err: error }, "cannot count the rows of the database");
      this.#databaseUp.set(0);
      this.#clearCounts();
    }
    return this.#registry.metrics();
  }

  #clearCounts(): void {
    for (const gauge of [this.#devices, this.#commands, this.#apps]) gauge.remove();
    for (const state of ROLLOUT_STATES) this.#rollouts.remove({ state });
  }

  async #count(): Promise<void> {
    const { database } = this.#options;
    const counted = sql<number>`count(*)`.as("counted");
    const devices = await database.selectFrom("devices").select(counted).executeTakeFirstOrThrow();
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
    this.#devices.set(devices.counted);
    this.#commands.set(commands.counted);
    this.#apps.set(apps.counted);
    const byState = new Map(rollouts.map(({ state, counted: rows }) => [state, rows]));
    for (const state of ROLLOUT_STATES) this.#rollouts.set({ state }, byState.get(state) ?? 0);
  }
}
