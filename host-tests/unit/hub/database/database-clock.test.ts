/** How a process follows the clock of its database, over answers that take their time. */
import { setTimeout } from "node:timers/promises";
import {
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import { expect, test } from "vitest";
import { DatabaseClock } from "../../../../hub/database/database-clock.js";
import type { Tables } from "../../../../hub/database/schema.js";

/** A server whose clock is ahead, and which answers so long after it has read it. */
class Server extends DummyDriver {
  aheadMs = 5000;
  delayMs = 0;

  override async acquireConnection(): Promise<DatabaseConnection> {
    const executeQuery = async () => {
      const ms = `${this.nowMs}`;
      if (this.delayMs > 0) await setTimeout(this.delayMs);
      return { rows: [{ ms }] };
    };
    return { executeQuery } as unknown as DatabaseConnection;
  }

  get nowMs(): number {
    return Math.round(performance.now()) + this.aheadMs;
  }
}

function clockOf(server: Server): DatabaseClock {
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => server,
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  return new DatabaseClock(new Kysely<Tables>({ dialect }), "postgres");
}

/** Far less than half of a slow answer. */
const CLOSE_MS = 50;
const SLOW_MS = 400;

test("a slow answer does not spoil what a quick one has told", async () => {
  const server = new Server();
  const clock = clockOf(server);
  await clock.measure();
  server.delayMs = SLOW_MS;
  await clock.measure();
  expect(Math.abs(clock.now() - server.nowMs)).toBeLessThan(CLOSE_MS);
});

test("a quick answer mends what a slow one has told", async () => {
  const server = new Server();
  server.delayMs = SLOW_MS;
  const clock = clockOf(server);
  await clock.measure();
  server.delayMs = 0;
  await clock.measure();
  expect(Math.abs(clock.now() - server.nowMs)).toBeLessThan(CLOSE_MS);
});

test.each([-3_600_000, 3000])(
  "a clock that is set by %i ms is followed, also by a slow answer",
  async (stepMs) => {
    const server = new Server();
    const clock = clockOf(server);
    await clock.measure();
    server.aheadMs += stepMs;
    server.delayMs = SLOW_MS;
    await clock.measure();
    expect(Math.abs(clock.now() - server.nowMs)).toBeLessThan(SLOW_MS);
  },
);
