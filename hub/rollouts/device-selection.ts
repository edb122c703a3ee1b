/**
 * Selects the devices of a rollout and their order, once, when it is created. The order differs per rollout, so that the
 * first percent is not always the same devices.
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { isApp } from "../database/app-name.js";
import type { Database, Dialect } from "../database/schema.js";
import { inPieces } from "../database/transactions.js";
import { yieldIfLong } from "../event-loop.js";
import { hasTag, matchesFilter } from "../fleet/device-filter.js";
import type { Groups } from "../fleet/groups.js";
import type { DeviceFilter } from "./rollout-schemas.js";
import { type Payload, type RolloutStep, stepEnds } from "./rollout-state.js";

/** To read a hundred thousand in one statement would block the process. */
const DEVICES_PER_QUERY = 2000;

export interface SelectionContext {
  readonly database: Database;
  readonly dialect: Dialect;
  readonly groups: Groups;
  readonly now: () => number;
}

export interface Selection {
  readonly rolloutId: string;
  readonly accountId: string;
  readonly payload: Payload;
  readonly steps: readonly RolloutStep[];
  /** By default, all devices of the account that the payload fits. */
  readonly filter: DeviceFilter | undefined;
}

/**
 * @returns ids in rollout order
 * @throws {Fault} `device_not_found` for an id that the account does not hold, `wrong_board` for a device that the
 *   firmware does not fit, `rollout_empty`, `group_not_found`, `bad_parameter`
 */
export async function selectDevices(
  context: SelectionContext,
  selection: Selection,
): Promise<readonly string[]> {
  const { filter = {} } = selection;
  const { ids, ...conditions } = filter;
  if (ids && Object.keys(conditions).length > 0)
    throw new Fault("bad_parameter", 'Cannot choose "devices" both by "ids" and by properties');
  const chosen = ids
    ? await named(context.database, selection, ids)
    : await matching(context, selection, conditions);
  if (chosen.length === 0) throw new Fault("rollout_empty", "No device of the account is one of these");
  return inTurn(selection, chosen);
}

async function named(
  database: Database,
  { accountId, payload }: Selection,
  ids: readonly string[],
): Promise<readonly string[]> {
  const found = new Map<string, string>();
  for (const piece of inPieces([...new Set(ids)]))
    for (const { id, arch } of await ofAccount(database, accountId)
      .select("arch")
      .where("id", "in", piece)
      .execute())
      found.set(id, arch);
  for (const id of ids) requireDevice(id, found.get(id), payload);
  return [...found.keys()].sort();
}

function requireDevice(id: string, arch: string | undefined, { kind, subject }: Payload): void {
  if (arch === undefined) throw new Fault("device_not_found", `The account has no device "${id}"`);
  if (kind === "firmware" && arch !== subject)
    throw new Fault("wrong_board", `Cannot roll out firmware for ${subject} to "${id}", which is ${arch}`);
}

async function matching(
  { database, dialect, groups, now }: SelectionContext,
  { accountId, payload }: Selection,
  { app_id, arch, firmware_version, group_id, name, tag }: Omit<DeviceFilter, "ids">,
): Promise<readonly string[]> {
  let query = ofAccount(database, accountId);
  if (payload.kind === "firmware") query = query.where("arch", "=", payload.subject);
  if (arch !== undefined) query = query.where("arch", "=", arch);
  if (firmware_version !== undefined) query = query.where("firmware_version", "=", firmware_version);
  if (name !== undefined)
    // LIKE has wildcards and, in SQLite, ignores case.
    query = query.where(
      ({ ref }) => sql<string>`substr(${ref("name")}, 1, cast(${[...name].length} as integer))`,
      "=",
      name,
    );
  if (app_id !== undefined) query = query.where(hasInstalled(app_id, dialect));
  const context = { dialect, accountId, now: now() };
  if (tag !== undefined) query = query.where(hasTag(context, tag));
  if (group_id !== undefined)
    query = query.where(matchesFilter(await groups.filterOf(accountId, group_id), context));
  const ids: string[] = [];
  for (let last = ""; ; last = ids.at(-1) as string) {
    const rows = await query.where("id", ">", last).orderBy("id").limit(DEVICES_PER_QUERY).execute();
    for (const { id } of rows) ids.push(id);
    if (rows.length < DEVICES_PER_QUERY) return ids;
  }
}

/** The console's own report decides; for a console that never sent one, the results of commands (device-record.ts). */
function hasInstalled(appId: string, dialect: Dialect) {
  const reported =
    dialect === "sqlite"
      ? sql`json_each(devices.apps) as app`
      : sql`jsonb_array_elements(cast(devices.apps as jsonb)) as app (value)`;
  return sql<boolean>`case when devices.apps is null
    then exists (select 1 from device_apps
      where device_id = devices.id and ${isApp("app_id", appId, dialect)} and state = 'installed')
    else exists (select 1 from ${reported} where ${isApp("(app.value ->> 'name')", appId, dialect)}) end`;
}

function ofAccount(database: Database, accountId: string) {
  return database.selectFrom("devices").select("id").where("account_id", "=", accountId);
}

/**
 * A hash of rollout and device decides which step a device is in. Within a step devices are in the order of their ids, from
 * one on that differs per rollout: those that get commands in one transaction are neighbours in the indexes of the
 * database, which then change in few places. In a random order, each transaction wrote nearly all pages of an index.
 * @param sorted ids
 */
async function inTurn(
  { rolloutId, steps }: Selection,
  sorted: readonly string[],
): Promise<readonly string[]> {
  const stepOf = await drawSteps(rolloutId, stepEnds(steps, sorted.length), sorted);
  const inSteps = steps.map((): string[] => []);
  const start = createHash("sha256").update(rolloutId).digest().readUInt32BE() % sorted.length;
  for (let count = 0; count < sorted.length; count++) {
    const id = sorted[(start + count) % sorted.length] as string;
    inSteps[stepOf.get(id) ?? 0]?.push(id);
    const pause = yieldIfLong();
    if (pause) await pause;
  }
  return inSteps.flat();
}

/**
 * @param ends as of {@link stepEnds}
 * @returns the step of each device, from 0
 */
async function drawSteps(
  rolloutId: string,
  ends: readonly number[],
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const stepOf = new Map<string, number>();
  if (ends.length === 1) return stepOf;
  let step = 0;
  for (const id of await shuffled(rolloutId, deviceIds)) {
    while (stepOf.size >= (ends[step] ?? Number.POSITIVE_INFINITY)) step += 1;
    stepOf.set(id, step);
    await yieldIfLong();
  }
  return stepOf;
}

/**
 * Sorts by a hash of rollout and device, which is as good as a shuffle, and reproducible. In parts by the first byte of
 * the hash: to sort a hundred thousand at once would block the process.
 */
async function shuffled(rolloutId: string, deviceIds: readonly string[]): Promise<readonly string[]> {
  const parts = Array.from({ length: 256 }, (): [string, string][] => []);
  for (const id of deviceIds) {
    const hash = createHash("sha256").update(rolloutId).update(id).digest();
    parts[hash[0] as number]?.push([hash.toString("hex"), id]);
    await yieldIfLong();
  }
  const sorted: string[] = [];
  for (const part of parts) {
    for (const [, id] of part.sort(([a], [b]) => (a < b ? -1 : 1))) sorted.push(id);
    await yieldIfLong();
  }
  return sorted;
}
