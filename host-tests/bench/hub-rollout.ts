/**
 * A rollout to a hundred thousand consoles (fewer in a short round) of one process with SQLite. The consoles are played in
 * the process itself, behind the dispatcher: no machine has so many sockets. Each answers what it is sent. Measures the
 * whole, the first and the last thousand, and the longest time for which the event loop stood still.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Batch } from "../../hub/batch.js";
import { LocalBus } from "../../hub/bus/bus.js";
import type { DeviceResult } from "../../hub/commands/command-results.js";
import { Commands } from "../../hub/commands/commands.js";
import type { HubContext } from "../../hub/context.js";
import { openDatabase } from "../../hub/database/open-database.js";
import { inPieces } from "../../hub/database/transactions.js";
import { History } from "../../hub/history/history.js";
import { CommandDispatcher } from "../../hub/push/command-dispatcher.js";
import type { DeviceSocket } from "../../hub/push/device-socket.js";
import { Rollouts, type RolloutsOptions } from "../../hub/rollouts/rollouts.js";
import { silentLogger } from "../hub/hosts/silent-logger.js";
import { inRound } from "./round.js";
import type { AddRow } from "./row.js";

const DEVICES = inRound({ full: 100_000, short: 2000 });
const PORTION = 1000;
const ACCOUNT = "account";
/** As in push-channel.ts. */
const RESULTS = { limit: 500, delayMs: 10 };
const APP = { kind: "app", app_id: "bricks" } as const;
/** Of the measurement, in milliseconds; a loop that is never late shows this. */
const RESOLUTION_MS = 1;

export default async function measure(addRow: AddRow): Promise<void> {
  const storagePath = await mkdtemp(path.join(tmpdir(), "bench-rollout-"));
  const { database } = await openDatabase({ storagePath, databaseUrl: undefined });
  try {
    const context = contextOf(database);
    await addDevices(context);
    const { ends, stalledMs, tookMs } = await rollOut(context);
    addRow(`rollout to ${DEVICES} consoles, until the last result is counted`, seconds(tookMs), "≤ 30 s");
    addRow("its first and its last tenth", `${tenthMs(ends, true)} / ${tenthMs(ends, false)} ms`, "the same");
    addRow("longest time in which the event loop stood still", `${stalledMs.toFixed(0)} ms`, "≤ 20 ms");
  } finally {
    await database.destroy();
    await rm(storagePath, { recursive: true });
  }
}

type Database = HubContext["database"];

function contextOf(database: Database): HubContext {
  return {
    database,
    dialect: "sqlite",
    bus: new LocalBus(),
    logger: silentLogger,
    processId: "process",
    now: Date.now,
    config: { expireMs: 90 * 86_400_000 },
  } as unknown as HubContext;
}

async function addDevices({ database, processId }: HubContext): Promise<void> {
  await database.insertInto("accounts").values({ id: ACCOUNT, token_hash: ACCOUNT, created_at: 0 }).execute();
  await database
    .insertInto("processes")
    .values({ id: processId, heartbeat_at: Date.now() + 3_600_000 })
    .execute();
  const rows = Array.from({ length: DEVICES }, (_, at) => ({
    id: randomUUID(),
    token_hash: `${at}`,
    mac: `${at}`,
    name: `Console ${at}`,
    arch: "xtensa",
    firmware_version: "0.1.0",
    account_id: ACCOUNT,
    registered_at: 0,
    connection: 1,
    process_id: processId,
  }));
  await database.transaction().execute(async (transaction) => {
    for (const piece of inPieces(rows)) await transaction.insertInto("devices").values(piece).execute();
  });
}

interface Figures {
  readonly tookMs: number;
  readonly stalledMs: number;
  /** When each portion of the results was in, from the end of the order on: 0 first. */
  readonly ends: readonly number[];
}

async function rollOut(context: HubContext): Promise<Figures> {
  const commands = new Commands(context);
  const catalog = {
    requireVersion: async (app_id: string) => ({ app_id, version: "1.0.0", size_bytes: 1000 }),
    requireApp: async () => ({ publisher: "bench" }),
  };
  const rollouts = new Rollouts({ ...context, catalog, commands } as unknown as RolloutsOptions);
  const ends: number[] = [];
  let done = 0;
  let began = 0;
  const results = new Batch<DeviceResult>({
    ...RESULTS,
    write: async (written) => {
      await commands.apply(written);
      for (const _ of written) if (++done % PORTION === 0) ends.push(performance.now() - began);
    },
    onFailed: (_, error) => {
      throw error;
    },
  });
  const sockets = await playedSockets(context, results);
  const history = new History(context);
  const dispatcher = new CommandDispatcher({
    catalog,
    commands,
    history,
    sockets,
    logger: context.logger,
    config: {},
    firmwares: {},
  } as unknown as ConstructorParameters<typeof CommandDispatcher>[0]);
  commands.onStored((stored) => dispatcher.toStored(stored));
  rollouts.start();
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const ordered = performance.now();
  const { id } = await rollouts.create(ACCOUNT, APP);
  began = performance.now();
  while ((await rollouts.require(ACCOUNT, id)).state !== "completed")
    await new Promise((resolve) => setTimeout(resolve, 100));
  const tookMs = performance.now() - ordered;
  delay.disable();
  await rollouts.close();
  await dispatcher.close();
  await history.close();
  return { tookMs, stalledMs: delay.max / 1e6, ends: [0, ...ends] };
}

/** What the dispatcher uses of a socket, for each device; it answers with success. */
async function playedSockets(
  { database }: HubContext,
  results: Batch<DeviceResult>,
): Promise<ReadonlyMap<string, DeviceSocket>> {
  const ids = await database.selectFrom("devices").select("id").execute();
  return new Map(
    ids.map(({ id: deviceId }) => {
      const sendText = (message: string) => {
        const { command_id, app_id } = JSON.parse(message);
        const result = { type: "app.install.result", command_id, app_id, success: true, error: null };
        setImmediate(() =>
          results.add({ deviceId, connection: 1, result: result as DeviceResult["result"] }),
        );
      };
      const socket = {
        connection: 1,
        arch: "xtensa",
        apiUrl: "http://hub.test/api/v1",
        lastPosition: 0,
        sendText,
      };
      return [deviceId, socket as unknown as DeviceSocket];
    }),
  );
}

/** The time of the first, or the last, tenth of the portions. */
function tenthMs(ends: readonly number[], isFirst: boolean): string {
  const count = Math.max(1, Math.floor((ends.length - 1) / 10));
  const [from, to] = isFirst ? [0, count] : [ends.length - 1 - count, ends.length - 1];
  return ((ends[to] ?? 0) - (ends[from] ?? 0)).toFixed(0);
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
