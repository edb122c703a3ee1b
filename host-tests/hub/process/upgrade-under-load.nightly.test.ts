/**
 * Processes of this version start on the PostgreSQL of a hub of 0.1.0, whose processes go on working meanwhile and after it
 * (docs/spec/hub-api.md#upgrade): no statement of theirs fails here, the new ones see what they do, and bring a rollout to its end.
 */
import { randomUUID } from "node:crypto";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { TokenHasher } from "../../../hub/auth/tokens.js";
import { inTier } from "../../tier.js";
import { HubProcess } from "../hosts/hub-process.js";
import { CLUSTERED_HUB } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { natsUrl } from "../hosts/test-database.js";
import { Channel, eventually } from "../push/channel.js";
import { Console, type RegisteredDevice, SUCCEEDS } from "../rollouts/fleet.js";
import { FormerProcess } from "./former-process.js";
import { type KeptHub, keptOnPostgres, people } from "./kept-hub.js";

const CONSOLES = inTier({ quick: 500, sample: 2000, nightly: 50_000 });
/** Commands that the database has before. */
const COMMANDS = 10 * CONSOLES;
/** Consoles of a rollout that is under way. */
const ROLLED_OUT_TO = 20;
const FORMER_PROCESSES = 2;
const AT_ONCE = 4;
const NEW_PROCESSES = 3;
/** Commands of each former process before the first new one starts, and after the last has. */
const WORK = inTier({ quick: 50, sample: 200, nightly: 2000 });

describe.skipIf(CLUSTERED_HUB.missing)(`An upgrade of a hub of 0.1.0 with ${CONSOLES} consoles`, () => {
  let kept: KeptHub;
  let url: string;
  let pool: Pool;
  let former: readonly FormerProcess[] = [];
  const processes: HubProcess[] = [];
  beforeAll(async () => {
    kept = await keptOnPostgres();
    url = `${kept.environment["SVC_HUB_DATABASE_URL"]}`;
    pool = new Pool({ connectionString: url });
    const ids = await fill(pool);
    former = Array.from({ length: FORMER_PROCESSES }, (_, index) => {
      const own = ids.filter((_id, at) => at % FORMER_PROCESSES === index);
      return new FormerProcess(url, own, index + 1);
    });
  }, 300_000);
  afterAll(async () => {
    await Promise.allSettled(former.map((process) => process.stop()));
    await Promise.all(processes.map((process) => process.stop()));
    await pool?.end();
    await kept?.release();
  });

  test("fails no statement of its former processes, and loses nothing that they store", async () => {
    const { rolloutId, devices } = await beginRollout(pool);
    for (const process of former) await process.start(AT_ONCE);
    await Promise.all(former.map((process) => process.works(WORK)));
    const environment = {
      ...{ ...kept.environment, SVC_HUB_NATS_URL: natsUrl, SVC_HUB_DRAIN_S: "0" },
      ...{ SVC_HUB_REQUESTS_PER_MINUTE: "0", SVC_HUB_ADDRESS_REQUESTS_PER_MINUTE: "0" },
    };
    const start = async () => void processes.push(await HubProcess.start(environment));
    await Promise.all(Array.from({ length: NEW_PROCESSES }, start));
    await Promise.all(former.map((process) => process.works(WORK)));

    const origins = () => processes.map(({ origin }) => origin);
    const consoles = await Promise.all(devices.map((device) => Console.connect(device, SUCCEEDS, origins)));
    onTestFinished(() => Promise.all(consoles.map((each) => each.close())).then(() => {}));

    // A console of a new process gets what a former one has ordered, and an account sees the consoles of all.
    const [first] = processes;
    const channel = await Channel.open(`${first?.origin}`, people.device.token);
    onTestFinished(() => channel.cut());
    const ordered = randomUUID();
    await insertCommand(pool, ordered, people.device.device_id);
    await eventually(
      async () => channel.messages.some(({ command_id }) => command_id === ordered),
      (isThere) => isThere,
    );
    const { account_token: token } = people.account;
    const list = await request(`${first?.origin}`, "GET", "/account/devices", { token });
    expect(list.body.total).toBe(CONSOLES + ROLLED_OUT_TO + 2);
    const rollout = await eventually(
      async () => (await request(`${first?.origin}`, "GET", `/rollouts/${rolloutId}`, { token })).body,
      ({ state }) => state !== "running",
    );
    expect(rollout).toMatchObject({ state: "completed", total: { succeeded: ROLLED_OUT_TO } });
    expect(consoles.map(({ commands }) => commands.length)).toEqual(devices.map(() => 1));

    for (const process of former) await process.stop();
    for (const process of former) await expectStored(pool, process);
    const lines = processes.flatMap(({ stderr }) => stderr);
    expect(lines.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
  }, 900_000);
});

/** Consoles of the account, and commands that have ended. @returns the consoles' ids */
async function fill(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query(
    `insert into devices (id, token_hash, mac, name, arch, firmware_version, account_id, registered_at)
     select gen_random_uuid()::text, 'of ' || at, 'mac ' || at, 'Console ' || at, 'native', '0.1.0', $1, 0
     from generate_series(1, $2::int) as at returning id`,
    [people.account.account_id, CONSOLES],
  );
  const ids: string[] = rows.map(({ id }) => id);
  await pool.query(
    `insert into commands (id, device_id, kind, subject, version, state, created_at, updated_at)
     select gen_random_uuid()::text, ($1::text[])[1 + at % $2::int], 'install', 'tetris', '1.0.0', 'done', 0, 0
     from generate_series(1, $3::int) as at`,
    [ids, CONSOLES, COMMANDS],
  );
  return ids;
}

/** As 0.1.0 has it between two steps: half of the consoles were sent their commands, and the others wait. */
async function beginRollout(
  pool: Pool,
): Promise<{ readonly rolloutId: string; readonly devices: readonly RegisteredDevice[] }> {
  const rolloutId = randomUUID();
  const hasher = new TokenHasher(people.secret);
  const half = ROLLED_OUT_TO / 2;
  const steps = [half, ROLLED_OUT_TO].map((end, at) => ({
    ...{ percent: 50 * (at + 1), success_percent: 100, error_percent: 100, end },
  }));
  await pool.query(
    `insert into rollouts (id, account_id, kind, subject, version, steps, step, state, revision, created_at, updated_at)
     values ($1, $2, 'app', 'bricks', '1.1.0', $3, 0, 'running', 1, $4, $4)`,
    [rolloutId, people.account.account_id, JSON.stringify(steps), Date.now()],
  );
  const devices: RegisteredDevice[] = [];
  for (let position = 0; position < ROLLED_OUT_TO; position++) {
    const [deviceId, token, isSent] = [randomUUID(), randomUUID(), position < half];
    devices.push({
      ...{ deviceId, token, claimCode: "", name: "Console", arch: "native", firmware_version: "0.1.0" },
    });
    await pool.query(
      `insert into devices (id, token_hash, mac, name, arch, firmware_version, account_id, registered_at)
       values ($1, $2, $3, 'Console', 'native', '0.1.0', $4, 0)`,
      [deviceId, hasher.hash(token), `rollout ${position}`, people.account.account_id],
    );
    await pool.query(
      `insert into rollout_devices (rollout_id, device_id, position, state, updated_at) values ($1, $2, $3, $4, 0)`,
      [rolloutId, deviceId, position, isSent ? "sent" : "waiting"],
    );
    if (isSent)
      await pool.query(
        `insert into commands (id, device_id, kind, subject, version, state, rollout_id, created_at, updated_at)
         values ($1, $2, 'install', 'bricks', '1.1.0', 'pending', $3, $4, $4)`,
        [randomUUID(), deviceId, rolloutId, Date.now()],
      );
  }
  return { rolloutId, devices };
}

async function insertCommand(pool: Pool, id: string, deviceId: string): Promise<void> {
  await pool.query(
    `insert into commands (id, device_id, kind, subject, version, state, created_at, updated_at)
     values ($1, $2, 'uninstall', 'chess', '', 'pending', $3, $3)`,
    [id, deviceId, Date.now()],
  );
}

async function expectStored(pool: Pool, { commands, statuses }: FormerProcess): Promise<void> {
  const { rows: stored } = await pool.query("select id, state from commands where id = any($1)", [
    [...commands.keys()],
  ]);
  const states = new Map(stored.map(({ id, state }) => [id, state]));
  const wrong = [...commands].filter(([id, { isDone }]) => states.get(id) !== (isDone ? "done" : "pending"));
  expect(wrong).toEqual([]);
  const { rows: devices } = await pool.query("select id, status from devices where id = any($1)", [
    [...statuses.keys()],
  ]);
  expect(new Map(devices.map(({ id, status }) => [id, status]))).toEqual(statuses);
}
