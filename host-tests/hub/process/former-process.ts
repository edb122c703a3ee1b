/**
 * What a process of version 0.1.0 does to its database, statement by statement: consoles connect and report, accounts order,
 * results come. It knows the columns of 0.1.0 alone, and tries a transaction again where 0.1.0 did.
 */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { seededRandom } from "../../hosts/seeded-random.js";

/** Transactions that collide are tried again (PostgreSQL: unique violation, serialization failure, deadlock). */
const COLLISIONS: ReadonlySet<unknown> = new Set(["23505", "40001", "40P01"]);
const TRIES = 8;

export interface FormerCommand {
  readonly deviceId: string;
  readonly subject: string;
  readonly isDone: boolean;
}

export class FormerProcess {
  /** What it has stored, by id. */
  readonly commands = new Map<string, FormerCommand>();
  /** The last status that it has stored of each console. */
  readonly statuses = new Map<string, string>();
  readonly #pool: pg.Pool;
  readonly #id = randomUUID();
  readonly #deviceIds: readonly string[];
  readonly #random: (limit: number) => number;
  #isRunning = true;
  #loops: Promise<void>[] = [];

  /** @param deviceIds its consoles: no other process writes of them */
  constructor(url: string, deviceIds: readonly string[], seed: number) {
    this.#pool = new pg.Pool({
      ...{ connectionString: url, max: 10, connectionTimeoutMillis: 5000, statement_timeout: 30_000 },
    });
    this.#deviceIds = deviceIds;
    this.#random = seededRandom(seed);
  }

  /** Begins, with some work at the same time. */
  async start(atOnce: number): Promise<void> {
    await this.#pool.query("insert into processes (id, heartbeat_at) values ($1, $2)", [
      this.#id,
      Date.now(),
    ]);
    this.#loops = Array.from({ length: atOnce }, (_, index) => this.#loop(index, atOnce));
  }

  /** Ends, as a process that is stopped; may be called twice. @throws the first error that a statement had */
  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    const ends = await Promise.allSettled(this.#loops);
    await this.#pool.end();
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  /** @returns once it has stored so many commands more */
  async works(commands: number): Promise<void> {
    const enough = this.commands.size + commands;
    while (this.commands.size < enough) {
      await Promise.race([...this.#loops, new Promise((resolve) => setTimeout(resolve, 20))]);
      if (!this.#isRunning) return;
    }
  }

  /** Each loop has consoles of its own, so that what it has stored last is known. */
  async #loop(index: number, atOnce: number): Promise<void> {
    const own = this.#deviceIds.filter((_, at) => at % atOnce === index);
    while (this.#isRunning) {
      const deviceId = own[this.#random(own.length)] as string;
      await this.#pool.query("select id from devices where token_hash = $1", [`of ${index}`]); // of a request
      await this.#connect(deviceId);
      await this.#report(deviceId);
      await this.#order(deviceId);
      await this.#heartbeat();
    }
  }

  async #connect(deviceId: string): Promise<void> {
    await this.#transaction(async (client) => {
      await client.query("select id, process_id from devices where id = $1 for no key update", [deviceId]);
      await client.query(
        "update devices set connection = connection + 1, process_id = $2, last_seen_at = $3 where id = $1",
        [deviceId, this.#id, Date.now()],
      );
    });
  }

  async #report(deviceId: string): Promise<void> {
    const status = JSON.stringify({ firmware_version: "0.1.0", free_heap_bytes: this.#random(1e6) });
    await this.#pool.query("update devices set status = $2, last_seen_at = $3 where id = $1", [
      ...[deviceId, status, Date.now()],
    ]);
    this.statuses.set(deviceId, status);
  }

  /** Orders an app, and stores the result of every other order. */
  async #order(deviceId: string): Promise<void> {
    const [id, subject, isDone] = [randomUUID(), `app-${this.#random(3)}`, this.#random(2) === 0];
    const replaced: string[] = [];
    await this.#transaction(async (client) => {
      replaced.length = 0;
      const { rows } = await client.query(
        `update commands set state = 'cancelled', updated_at = $3
         where device_id = $1 and subject = $2 and state = 'pending' returning id`,
        [deviceId, subject, Date.now()],
      );
      replaced.push(...rows.map((row) => row.id));
      await client.query(
        `insert into commands (id, device_id, kind, subject, version, state, created_at, updated_at)
         values ($1, $2, 'install', $3, '1.0.0', 'pending', $4, $4)`,
        [id, deviceId, subject, Date.now()],
      );
      await this.#storeApp(client, deviceId, subject, "requested");
    });
    for (const each of replaced) this.commands.delete(each);
    this.commands.set(id, { deviceId, subject, isDone: false });
    if (!isDone) return;
    await this.#transaction(async (client) => {
      await client.query("update commands set state = 'done', updated_at = $2 where id = $1", [
        id,
        Date.now(),
      ]);
      await this.#storeApp(client, deviceId, subject, "installed");
    });
    this.commands.set(id, { deviceId, subject, isDone });
  }

  async #storeApp(client: pg.PoolClient, deviceId: string, app: string, state: string): Promise<void> {
    await client.query(
      `insert into device_apps (device_id, app_id, version, state, updated_at) values ($1, $2, '1.0.0', $3, $4)
       on conflict (device_id, app_id) do update set state = excluded.state, updated_at = excluded.updated_at`,
      [deviceId, app, state, Date.now()],
    );
  }

  async #heartbeat(): Promise<void> {
    await this.#pool.query("update processes set heartbeat_at = $2 where id = $1", [this.#id, Date.now()]);
  }

  async #transaction(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    const client = await this.#pool.connect();
    try {
      for (let tries = 1; ; tries++)
        try {
          await client.query("begin");
          await work(client);
          await client.query("commit");
          return;
        } catch (error) {
          await client.query("rollback");
          if (tries === TRIES || !COLLISIONS.has((error as { readonly code?: unknown }).code)) throw error;
        }
    } finally {
      client.release();
    }
  }
}
