/**
 * The hubs that tests of a running hub are done on: real processes, with databases and directories of their own.
 *
 *     for (const { name, missing, start } of HUBS)
 *       describe.skipIf(missing)(`The catalogue on ${name}`, () => {
 *         let hub: HubUnderTest;
 *         beforeAll(async () => void (hub = await start()));
 *         afterAll(() => hub.stop());
 *
 *         test("lists nothing while nothing is published", async () => {
 *           const { status, body } = await request(hub.origin, "GET", "/catalog", { token });
 *
 * `hub.origin` is another process at each look, so that whatever depends on having the process of the request before
 * fails. Where it matters which process, there are `hub.processes` and `hub.origins`. Publishers are made with
 * `addPublisher(hub.environment, name, pem)` of `hub/operator.ts`, as the operator does it.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isMissing } from "../../hosts/peers.js";
import { inTier } from "../../tier.js";
import { type Environment, HubProcess, type Launcher } from "./hub-process.js";
import { createTestDatabase, natsUrl } from "./test-database.js";

export interface HubOptions {
  /** Added to the environment; overrides the defaults. */
  readonly environment?: Environment;
  /** The program that starts each process; default: started directly. */
  readonly launcher?: (storagePath: string) => Launcher;
}

export interface HubKind {
  readonly name: string;
  /** Name of the missing program for which the suite is skipped, if any. */
  readonly missing: string | undefined;
  readonly start: (options?: HubOptions) => Promise<HubUnderTest>;
}

/** Services of a kind of hub besides its processes. */
export interface Surroundings {
  readonly environment: Environment;
  /** Releases them; called after the processes have ended. */
  readonly release: () => Promise<void>;
}

/** pino's level for errors. */
const ERROR_LEVEL = 50;

export class HubUnderTest {
  readonly processes: readonly HubProcess[];
  readonly storagePath: string;
  /** Environment of each process except its port; also for the operator's commands. */
  readonly environment: Environment;
  readonly #release: () => Promise<void>;
  #turn = 0;

  private constructor(
    processes: readonly HubProcess[],
    storagePath: string,
    { environment, release }: Surroundings,
  ) {
    this.processes = processes;
    this.storagePath = storagePath;
    this.environment = environment;
    this.#release = release;
  }

  /** @throws {HubDidNotStart} after releasing everything */
  static async start(
    count: number,
    { environment, release }: Surroundings,
    options: HubOptions = {},
  ): Promise<HubUnderTest> {
    const storagePath = await mkdtemp(path.join(tmpdir(), "hub-"));
    const surroundings = {
      environment: { ...usualEnvironment(storagePath), ...environment, ...options.environment },
      release: async () => {
        await release();
        await rm(storagePath, { recursive: true, force: true });
      },
    };
    const processes = await startAll(count, surroundings, options.launcher?.(storagePath));
    return new HubUnderTest(processes, storagePath, surroundings);
  }

  /** The origins (`http://127.0.0.1:…`) of all processes. */
  get origins(): readonly string[] {
    return this.processes.map(({ origin }) => origin);
  }

  /** Origin of the next process, round robin. */
  get origin(): string {
    this.#turn += 1;
    return this.origins[this.#turn % this.origins.length] as string;
  }

  /** Log lines of level error or higher from all processes so far; complete once they have ended. */
  get errors(): readonly string[] {
    const lines = this.processes.flatMap(({ stderr }) => stderr);
    return lines.filter((line) => Number(/^\{"level":(\d+)/.exec(line)?.[1]) >= ERROR_LEVEL);
  }

  /** Stops all processes and deletes their data. @throws {Error} if a process did not exit with 0 */
  async stop(): Promise<void> {
    const ends = await Promise.all(this.processes.map((process) => process.stop()));
    await this.#release();
    const bad = this.processes.find((_process, index) => ends[index] !== 0 && ends[index] !== "SIGKILL");
    if (bad) throw new Error(`The hub ended with ${await bad.exited}: ${bad.stderr.slice(-20).join("\n")}`);
  }
}

function usualEnvironment(storagePath: string): Environment {
  return {
    SVC_HUB_HOST: "127.0.0.1",
    SVC_HUB_PORT: "0",
    SVC_HUB_SECRET: randomBytes(32).toString("base64url"),
    SVC_HUB_STORAGE_PATH: storagePath,
    SVC_HUB_DRAIN_S: "0",
    // All tests register from one address.
    SVC_HUB_REGISTRATIONS_PER_MINUTE: "1000000",
    SVC_HUB_REQUESTS_PER_MINUTE: "1000000000",
    SVC_HUB_ADDRESS_REQUESTS_PER_MINUTE: "1000000000",
  };
}

/** Starts all processes at the same time, as a cluster does. */
async function startAll(
  count: number,
  { environment, release }: Surroundings,
  launcher?: Launcher,
): Promise<readonly HubProcess[]> {
  const starts = await Promise.allSettled(
    Array.from({ length: count }, () => HubProcess.start(environment, launcher)),
  );
  const processes = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const failed = starts.find((start) => start.status === "rejected");
  if (!failed) return processes;
  await Promise.all(processes.map((process) => process.kill()));
  await release();
  throw failed.reason;
}

function firstMissing(...peers: readonly Parameters<typeof isMissing>[0][]): string | undefined {
  return peers.find(isMissing);
}

/** SQLite and files only, as `npm run hub` runs it. */
export const EMBEDDED_HUB: HubKind = {
  name: "SQLite, one process",
  missing: undefined,
  start: (options) => HubUnderTest.start(1, { environment: {}, release: async () => {} }, options),
};

export const CLUSTERED_HUB: HubKind = {
  name: "PostgreSQL and NATS, three processes",
  missing: firstMissing("postgres", "nats"),
  start: async (options) => {
    const database = await createTestDatabase();
    const environment = { SVC_HUB_DATABASE_URL: database.url, SVC_HUB_NATS_URL: natsUrl };
    return HubUnderTest.start(3, { environment, release: () => database.drop() }, options);
  },
};

/** Both kinds, whatever the tier. */
export const BOTH_HUBS: readonly HubKind[] = Object.freeze(
  [EMBEDDED_HUB, CLUSTERED_HUB].map((hub) =>
    hub.missing ? { ...hub, name: `${hub.name} (skipped: no ${hub.missing} here)` } : hub,
  ),
);

/** The kinds of this run: `npm test` has the embedded hub, CI has the clustered one after it, every other run has both. */
export const HUBS: readonly HubKind[] = inTier({
  quick: BOTH_HUBS.slice(0, 1),
  all: BOTH_HUBS,
  sample: BOTH_HUBS.slice(1),
  nightly: BOTH_HUBS,
});
