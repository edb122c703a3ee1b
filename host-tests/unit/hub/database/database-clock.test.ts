/** How a process follows the clock of its database, over answers that take their time. */
import {
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DatabaseClock } from "../../../../hub/database/database-clock.js";
import type { Tables } from "../../../../hub/database/schema.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A server whose clock is ahead, and which answers so long after it has read it. */
class Server extends DummyDriver {
  aheadMs = 5000;
  delayMs = 0;

  override async acquireConnection(): Promise<DatabaseConnection> {
    const executeQuery = async () => {
      const ms = `${this.nowMs}`;
      if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
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

/** Rounding. */
const CLOSE_MS = 2;
const SLOW_MS = 400;

async function measure(clock: DatabaseClock, server: Server): Promise<void> {
  const measuring = clock.measure();
  await vi.advanceTimersByTimeAsync(server.delayMs);
  await measuring;
}

test("a slow answer does not spoil what a quick one has told", async () => {
  const server = new Server();
  const clock = clockOf(server);
  await measure(clock, server);
  server.delayMs = SLOW_MS;
  await measure(clock, server);
  expect(Math.abs(clock.now() - server.nowMs)).toBeLessThan(CLOSE_MS);
});

test("a quick answer mends what a slow one has told", async () => {
  const server = new Server();
  server.delayMs = SLOW_MS;
  const clock = clockOf(server);
  await measure(clock, server);
  server.delayMs = 0;
  await measure(clock, server);
  expect(Math.abs(clock.now() - server.nowMs)).toBeLessThan(CLOSE_MS);
});

test.each([-3_600_000, 3000])(
  "a clock that is set by %i ms is followed, also by a slow answer",
  async (stepMs) => {
    const server = new Server();
    const clock = clockOf(server);
    await measure(clock, server);
    server.aheadMs += stepMs;
    server.delayMs = SLOW_MS;
    await measure(clock, server);
    expect(Math.abs(clock.now() - server.nowMs)).toBeLessThan(SLOW_MS);
  },
);
