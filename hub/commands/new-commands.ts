/**
 * Stores new commands, of one order or of a rollout to a thousand devices, in few statements. A command for a device that
 * this process holds is stored as sent over the device's connection: the process sends it right after the commit,
 * without another look into the database. If it cannot, the device gets it over its next connection.
 */

import { type QueryResult, sql, type Transaction } from "kysely";
import type { Actor } from "../../protocol/hub/answers/history.js";
import type { HubContext } from "../context.js";
import type { CommandKind, Row, Tables } from "../database/schema.js";
import { inSlices, isOneOf, number, tableOf } from "../database/transactions.js";
import { runningProcesses } from "../devices/device-record.js";
import { grouped } from "../grouped.js";
import { commandEvents, type DeviceEvent, writeEvents } from "../history/device-events.js";
import { newCommandIds } from "./command-ids.js";
import { replacePending } from "./command-rows.js";
import { INITIAL } from "./command-state.js";
import { requestApps } from "./device-apps.js";

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
  /** For the command's timeline; the hub by default. */
  readonly orderedBy?: Actor | undefined;
}

/** Commands that a transaction has stored. */
export interface StoredCommands {
  readonly by: Actor;
  readonly commands: readonly Row<"commands">[];
  /** The processes that hold the online devices, by device. */
  readonly holders: ReadonlyMap<string, string>;
  /** The commands that these have replaced. */
  readonly replaced: readonly Row<"commands">[];
  /** Devices that got no command, since the rollout's account does not hold them any more. */
  readonly released: readonly string[];
}

/** The rollout whose commands are stored. */
export interface RolloutOfCommands {
  readonly id: string;
  readonly account_id: string;
}

/** The context of a transaction. */
export interface StoreContext extends Pick<HubContext, "config" | "dialect" | "now" | "processId"> {
  readonly database: Transaction<Tables>;
}

/** Where a device is connected, and whose it is. */
interface Holder {
  /** `null` for a process that has ended. */
  readonly process_id: string | null;
  readonly connection: number;
  readonly account_id: string | null;
}

/**
 * @param orders at most one per device and subject
 */
export async function storeCommands(
  context: StoreContext,
  orders: readonly Order[],
  rollout?: RolloutOfCommands,
): Promise<StoredCommands> {
  const now = context.now();
  const found = await lockDevices(
    context,
    orders.map(({ deviceId }) => deviceId),
  );
  const isHeld = ({ deviceId }: Order) => !rollout || found.get(deviceId)?.account_id === rollout.account_id;
  const commands: Row<"commands">[] = [];
  const replaced: Row<"commands">[] = [];
  for (const group of groupsOf(orders.filter(isHeld))) {
    const shared = { ...sharedOf(context, group[0], now), rollout_id: rollout?.id ?? null };
    for (const piece of inSlices(group)) {
      const deviceIds = piece.map(({ deviceId }) => deviceId);
      replaced.push(...(await replacePending(context, deviceIds, shared.subject, now)));
      const sent = piece.map(({ deviceId }) => sentConnection(context, found.get(deviceId)));
      commands.push(...(await insert(context, deviceIds, sent, shared)));
    }
  }
  await requestApps({ ...context, now }, commands);
  const by: Actor = rollout ? { kind: "rollout", id: rollout.id } : (orders[0]?.orderedBy ?? HUB);
  await writeEvents(context.database, context.dialect, firstEvents(commands, replaced, now, by));
  const holders = new Map<string, string>();
  for (const [deviceId, { process_id }] of found) if (process_id !== null) holders.set(deviceId, process_id);
  const released = orders.filter((order) => !isHeld(order)).map(({ deviceId }) => deviceId);
  return { by, commands, holders, replaced, released };
}

const HUB: Actor = Object.freeze({ kind: "hub" });

/** The first steps of new commands, and the last ones of those that they replace. */
function firstEvents(
  commands: readonly Row<"commands">[],
  replaced: readonly Row<"commands">[],
  now: number,
  by: Actor,
): readonly DeviceEvent[] {
  const ordered = commandEvents(commands, "ordered", now, { by });
  if (replaced.length === 0) return ordered;
  const newer = new Map(commands.map(({ id, device_id, subject }) => [`${device_id} ${subject}`, id]));
  const ends = replaced.flatMap((command) => {
    const replaced_by = newer.get(`${command.device_id} ${command.subject}`);
    return commandEvents([command], "replaced", now, replaced_by === undefined ? {} : { replaced_by });
  });
  return [...ends, ...ordered];
}

/** Orders of the same thing: each group is written with the same statements. All writers lock devices in this order. */
function groupsOf(orders: readonly Order[]): Iterable<readonly [Order, ...Order[]]> {
  const sorted = [...orders].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
  return grouped(sorted, ({ kind, subject, version, allowsDowngrade, expiresAt }) =>
    [kind, subject, version, allowsDowngrade, expiresAt].join(" "),
  );
}

/** The columns that all commands of a group share. */
type Shared = Omit<Row<"commands">, "id" | "position" | "device_id" | "sent_connection">;

function sharedOf(
  { config }: StoreContext,
  { kind, subject, version, allowsDowngrade, expiresAt }: Order,
  now: number,
): Omit<Shared, "rollout_id"> {
  return {
    kind,
    subject,
    version,
    ...INITIAL,
    allows_downgrade: allowsDowngrade ? 1 : 0,
    expires_at: expiresAt ?? now + config.expireMs,
    created_at: now,
    updated_at: now,
  };
}

function sentConnection({ processId }: StoreContext, holder: Holder | undefined): number {
  return holder?.process_id === processId ? holder.connection : 0;
}

/**
 * Prevents other transactions from adding commands for these devices, and the devices from changing their connection,
 * until this one ends.
 */
async function lockDevices(
  { database, dialect, now }: StoreContext,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, Holder>> {
  const found = new Map<string, Holder>();
  const lock = sql.raw(dialect === "sqlite" ? "" : "for no key update"); // SQLite has one writer at a time
  const running = await runningProcesses(database, now());
  for (const piece of inSlices([...deviceIds].sort())) {
    const { rows } = await sql<Holder & { readonly id: string }>`
      select id, connection, process_id, account_id from devices
      where ${isOneOf(dialect, "id", piece)} order by id ${lock}`.execute(database);
    for (const { id, process_id, connection, account_id } of rows) {
      const isRunning = process_id !== null && running.has(process_id);
      found.set(id, { process_id: isRunning ? process_id : null, connection, account_id });
    }
  }
  return found;
}

async function insert(
  { database, dialect }: StoreContext,
  deviceIds: readonly string[],
  sent: readonly number[],
  shared: Shared,
): Promise<readonly Row<"commands">[]> {
  const ids = newCommandIds(deviceIds.length);
  const own = deviceIds.map((deviceId, at) => [ids[at] as string, deviceId, sent[at] as number]);
  const { kind, subject, version, state, progress, error, rollout_id } = shared;
  const inserted = await sql<Pick<Row<"commands">, "id" | "position">>`
    with stored (id, device_id, sent_connection) as (${tableOf(dialect, own)})
    insert into commands (id, device_id, sent_connection, kind, subject, version, state, progress, error, rollout_id,
      allows_downgrade, expires_at, created_at, updated_at)
    select id, device_id, sent_connection, ${kind}, ${subject}, ${version}, ${state}, ${progress}, ${error}, ${rollout_id},
      ${number(shared.allows_downgrade)}, ${number(shared.expires_at)}, ${number(shared.created_at)}, ${number(shared.updated_at)}
    from stored ${sql.raw(dialect === "sqlite" ? "" : "returning id, position")}`.execute(database);
  const positionOf = dialect === "sqlite" ? numbered(inserted, ids) : returned(inserted);
  return deviceIds.map((device_id, at): Row<"commands"> => {
    const id = ids[at] as string;
    return { id, position: positionOf(id, at), device_id, sent_connection: sent[at] as number, ...shared };
  });
}

type PositionOf = (id: string, at: number) => number;

/** SQLite numbers the rows of a statement in a row. To return them takes as long as to insert them. */
function numbered({ insertId }: QueryResult<unknown>, ids: readonly string[]): PositionOf {
  if (insertId === undefined) throw new Error("SQLite has not told the position of a command");
  const first = Number(insertId) - ids.length + 1;
  return (_, at) => first + at;
}

function returned({ rows }: QueryResult<Pick<Row<"commands">, "id" | "position">>): PositionOf {
  const positions = new Map(rows.map(({ id, position }) => [id, Number(position)]));
  return (id) => positions.get(id) ?? 0;
}
