/** Devices and their apps as the API shows them (docs/spec/hub-api.md#device). */
import { type RawBuilder, sql } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { DeviceAppRecord, DeviceRecord } from "../../protocol/hub/answers/devices.js";
import { canonicalAppName } from "../../protocol/manifest/app-name.js";
import { isoTime } from "../api/answers.js";
import type { Database, Row } from "../database/schema.js";
import { inPieces } from "../database/transactions.js";
import { PROCESS_FRESH_MS } from "../processes.js";
import type { InstalledApp } from "../push/device-message.js";

/**
 * Finds the process that holds each device's connection. A device is online if its row names a process with a recent
 * heartbeat.
 * @returns process ids by the ids of the online devices
 */
export async function processesHolding(
  database: Database,
  deviceIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, string>> {
  const holders = new Map<string, string>();
  for (const piece of inPieces(deviceIds))
    for (const { device_id, process_id } of await database
      .selectFrom("devices")
      .innerJoin("processes", "processes.id", "devices.process_id")
      .where(freshProcesses(now))
      .where("devices.id", "in", piece)
      .select(["devices.id as device_id", "processes.id as process_id"])
      .execute())
      holders.set(device_id, process_id);
  return holders;
}

/** The ids of the hub's processes that run. */
export async function runningProcesses(database: Database, now: number): Promise<ReadonlySet<string>> {
  const rows = await database.selectFrom("processes").select("id").where(freshProcesses(now)).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Whether a row of `processes` is of a process that lives. */
function freshProcesses(now: number): RawBuilder<boolean> {
  return sql<boolean>`processes.heartbeat_at > cast(${now - PROCESS_FRESH_MS} as bigint)`;
}

/** For a device that does not exist, or that the caller's account does not hold. */
export function deviceNotFound(deviceId: string): Fault {
  return new Fault("device_not_found", `No device of yours has the id "${deviceId}"`);
}

export function deviceRecord(row: Row<"devices">, isOnline: boolean): DeviceRecord {
  return {
    device_id: row.id,
    name: row.name,
    mac: row.mac,
    arch: row.arch,
    firmware_version: row.firmware_version,
    online: isOnline,
    claimed: row.account_id !== null,
    last_seen_at: isoTime(row.last_seen_at),
    status: row.status === null ? null : JSON.parse(row.status),
  };
}

/**
 * Merges the device's own report with its pending commands and last failures. An app's id is the name in its manifest.
 * @param rows the apps that commands were about: the only source for a device that has sent no report
 * @returns sorted by name
 */
export function deviceAppRecords(
  { apps, apps_at }: Pick<Row<"devices">, "apps" | "apps_at">,
  rows: readonly Row<"device_apps">[],
): readonly DeviceAppRecord[] {
  if (apps === null) return rows.map(commandedRecord);
  const records = new Map<string, DeviceAppRecord>();
  const updated_at = isoTime(apps_at ?? 0);
  for (const { name, version, running } of JSON.parse(apps) as readonly InstalledApp[])
    records.set(canonicalAppName(name), {
      app_id: name,
      name,
      version,
      state: "installed",
      running,
      updated_at,
    });
  for (const row of rows) {
    const key = canonicalAppName(row.app_id);
    const merged = mergedRecord(row, records.get(key));
    if (merged) records.set(key, merged);
  }
  return [...records.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** @param reported the app in the device's report; `undefined` if it is not there */
function mergedRecord(row: Row<"device_apps">, reported?: DeviceAppRecord): DeviceAppRecord | undefined {
  const record = { ...commandedRecord(row), running: reported?.running ?? false };
  switch (row.state) {
    case "requested":
      return record;
    case "installed":
      return reported;
    case "removing":
      return reported && { ...reported, state: "removing", updated_at: record.updated_at };
    case "failed": {
      if (!reported) return record;
      const hasIt = reported.version === row.version;
      return hasIt || record.error === undefined ? reported : { ...reported, error: record.error };
    }
    default:
      return row.state satisfies never;
  }
}

function commandedRecord(row: Row<"device_apps">): DeviceAppRecord {
  return {
    app_id: row.app_id,
    name: row.app_id,
    version: row.version,
    state: row.state,
    ...(row.error === null ? {} : { error: row.error }),
    updated_at: isoTime(row.updated_at),
  };
}
