/**
 * Nothing that a hub asks of its database reads a large table from one end to the other: with many consoles, commands and
 * apps on PostgreSQL, which notes the plan of each statement, all endpoints that read are asked, consoles come and go, and
 * a rollout goes through.
 */
import { readFileSync, truncateSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMissing } from "../../hosts/peers.js";
import { World } from "../api/world.js";
import { HubUnderTest } from "../hosts/hub-under-test.js";
import { OwnPostgres } from "../hosts/own-postgres.js";
import { SUCCEEDS } from "../rollouts/fleet.js";
import { Fleet } from "../rollouts/rolling.js";
import { fill } from "./filled-database.js";
import { READING, readingOf } from "./readings.js";

const SIZES = { accounts: 5000, devices: 60_000, apps: 10_000, commandsPerDevice: 5 };

/** Tables that grow with the hub. */
const LARGE = [
  "accounts",
  "app_versions",
  "apps",
  "audit",
  "commands",
  "device_apps",
  "devices",
  "rollout_devices",
];

/**
 * What counts whole tables: metrics, at most every few seconds (hub/operations/metrics.ts), and the apps of the catalogue,
 * once for each of its changes (hub/catalog/catalog-list.ts).
 */
const COUNTS = [
  /^select (?:"\w+", )?count\(\*\) as "counted"/,
  /^select count\(\*\) as "total" from "apps" where "retracted_at" is null/,
];

/** Longer than the sweeps of each process. */
const SWEEPS_MS = 7000;

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Recheck Cond"?: string;
  readonly Plans?: readonly Plan[];
}

interface Explained {
  readonly "Query Text": string;
  readonly Plan: Plan;
}

/** Reads of large tables that no condition bounds. @param isBounded whether a limit above bounds the rows */
function wholeReads(plan: Plan, isBounded = false): string[] {
  const type = plan["Node Type"];
  const relation = plan["Relation Name"] ?? "";
  const isWhole = type === "Seq Scan" || (/^Index.* Scan$/.test(type) && !plan["Index Cond"] && !isBounded);
  const found = isWhole && LARGE.includes(relation) ? [`${type} of ${relation}`] : [];
  // Only a limit right above reads no more than it gives on: a sort or a hash between them reads everything.
  const bounds =
    type === "Limit" || (isBounded && /^(Index|Nested Loop|Result|Subquery Scan|LockRows)/.test(type));
  return [...found, ...(plan.Plans ?? []).flatMap((below) => wholeReads(below, bounds))];
}

/** The plans in PostgreSQL's log: JSON after each line that tells a duration. */
function plansIn(log: string): Explained[] {
  return log
    .split(/^.*duration: [\d.]+ ms {2}plan:\n/m)
    .slice(1)
    .map((text) => JSON.parse(/^\t\{[\s\S]*?^\t\}/m.exec(text)?.[0] ?? "null"))
    .filter((plan) => plan !== null);
}

describe.skipIf(isMissing("postgres"))("A hub with many consoles", () => {
  let postgres: OwnPostgres;
  let hub: HubUnderTest;
  let world: World;
  beforeAll(async () => {
    postgres = await OwnPostgres.start([
      ...["shared_preload_libraries=auto_explain", "auto_explain.log_min_duration=0"],
      ...[
        "auto_explain.log_format=json",
        "logging_collector=on",
        "log_directory=.",
        "log_filename=plans.log",
      ],
      ...["log_rotation_size=0", "log_rotation_age=0", "log_file_mode=0644"],
    ]);
    const database = await postgres.createDatabase();
    const environment = { SVC_HUB_DATABASE_URL: database.url };
    hub = await HubUnderTest.start(1, { environment, release: () => postgres.remove() });
    world = await World.make(hub);
    await fill(database.url, SIZES);
  }, 300_000);
  afterAll(() => hub.stop());

  /** The statements that read a large table as a whole while `run` does its work, each once. */
  async function wholeReadsOf(run: () => Promise<unknown>): Promise<string[]> {
    const log = postgres.file("plans.log");
    truncateSync(log);
    await run();
    const found = plansIn(readFileSync(log, "utf8"))
      .filter((explained) => !COUNTS.some((count) => count.test(explained["Query Text"])))
      .flatMap((explained) =>
        wholeReads(explained.Plan).map((read) => `${read}: ${explained["Query Text"].replace(/\s+/g, " ")}`),
      );
    return [...new Set(found)];
  }

  test.each(READING)("reads no large table for GET $path", async (row) => {
    const { token, path } = await readingOf(world, row);
    const found = await wholeReadsOf(async () => {
      const { status, body } = await world.ask(token, "GET", path);
      expect(status, JSON.stringify(body)).toBeLessThan(300);
    });
    expect(found).toEqual([]);
  });

  const SEARCHES = [
    "?q=app",
    "?sort=-published_at&page=100",
    "?per_page=100&page=90",
    "?sort=relevance&q=blocks",
  ];
  test.each(SEARCHES)("reads the catalogue's page %s from an index, or its matches", async (query) => {
    const found = await wholeReadsOf(() => world.ask(world.account.token, "GET", `/catalog${query}`));
    const isSearch = query === "?q=app"; // a part of a word may be anywhere: docs/hub.md tells of it
    expect(found.filter((read) => !isSearch || !/ of apps: /.test(read))).toEqual([]);
  });

  test("reads no large table while consoles come, are told, answer and go, nor in its sweeps", async () => {
    const found = await wholeReadsOf(async () => {
      const fleet = await Fleet.connect(hub, 20, SUCCEEDS);
      const app_id = await world.app();
      const steps = [{ percent: 50 }, { percent: 100 }];
      await fleet.untilState(await fleet.rollOut({ kind: "app", app_id, steps }), "completed");
      const [console] = fleet.consoles;
      await fleet.ask("DELETE", `/account/devices/${console?.device.deviceId}`);
      await new Promise((resolve) => setTimeout(resolve, SWEEPS_MS));
      await fleet.close();
    });
    expect(found).toEqual([]);
  });
});
