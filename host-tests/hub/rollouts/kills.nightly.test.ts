/**
 * Three processes on PostgreSQL and NATS, of which one is killed every five seconds while a rollout goes to thousands of
 * consoles: each console is told one command, does it once, and its result is counted.
 */
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../hosts/seeded-random.js";
import { inTier } from "../../tier.js";
import { CLUSTERED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { type Behaviour, Console, newAccount, newDevice } from "./fleet.js";
import { newApp } from "./rolling.js";

const { consoles: CONSOLES, seconds: KILLING_S } = inTier({
  quick: { consoles: 20, seconds: 10 },
  sample: { consoles: 100, seconds: 10 },
  nightly: { consoles: 5000, seconds: 120 },
});
const KILL_EVERY_MS = 5000;
/** So long a process stays away. */
const AWAY_MS = 1000;
/** Consoles that register at the same time. */
const AT_ONCE = 64;
const STEPS = 10;
/** Consoles take up to so long for a command, so that the steps last as long as the killing. */
const LONGEST_MS = (KILLING_S * 1000) / STEPS;
const DEADLINE_MS = 6 * KILLING_S * 1000;

/** A console that takes its time, and repeats the result of what it has done. */
class SlowConsole {
  /** How often each command was done, by its id. */
  readonly done = new Map<string, number>();
  readonly #takesMs: number;
  readonly #doing = new Set<string>();
  #console: Console | undefined;

  constructor(takesMs: number) {
    this.#takesMs = takesMs;
  }

  readonly behaviour: Behaviour = ({ command_id }) => {
    if (this.done.has(command_id)) return { success: true };
    if (!this.#doing.has(command_id)) void this.#do(command_id);
    return undefined;
  };

  attach(console: Console): void {
    this.#console = console;
  }

  close(): Promise<void> | undefined {
    return this.#console?.close();
  }

  async #do(commandId: string): Promise<void> {
    this.#doing.add(commandId);
    await setTimeout(this.#takesMs);
    this.done.set(commandId, (this.done.get(commandId) ?? 0) + 1);
    if (this.#console?.isConnected) this.#console.answer({ success: true }); // else it is told again, and repeats
  }
}

describe.skipIf(CLUSTERED_HUB.missing)(`A rollout to ${CONSOLES} consoles`, () => {
  let hub: HubUnderTest;
  let account: string;
  let consoles: readonly SlowConsole[];
  beforeAll(async () => {
    hub = await CLUSTERED_HUB.start();
    account = await newAccount(hub);
    const random = seededRandom(1);
    consoles = Array.from({ length: CONSOLES }, () => new SlowConsole(random(LONGEST_MS)));
    const rest = consoles.entries();
    const connectAll = async () => {
      for (const [at, slow] of rest) {
        const device = await newDevice(hub, account);
        const first = at % hub.origins.length;
        const origins = () => [...hub.origins.slice(first), ...hub.origins];
        slow.attach(await Console.connect(device, slow.behaviour, origins));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, connectAll));
  }, 600_000);
  afterAll(async () => {
    await Promise.all(consoles.map((console) => console.close()));
    await hub.stop();
  });

  /** Asks the first process that answers. */
  async function ask(method: string, path: string, json?: object) {
    for (;;)
      for (const origin of hub.origins)
        try {
          return await request(origin, method, path, { token: account, ...(json && { json }) });
        } catch {
          await setTimeout(100); // this one was killed just now
        }
  }

  test(
    "loses no command and repeats none while a process is killed every five seconds",
    async () => {
      const { app_id } = await newApp(hub);
      const steps = Array.from({ length: STEPS }, (_, at) => ({ percent: (100 * (at + 1)) / STEPS }));
      const { body: made } = await ask("POST", "/rollouts", { kind: "app", app_id, steps });
      const killingUntil = performance.now() + KILLING_S * 1000;
      for (let kills = 0; performance.now() < killingUntil; kills++) {
        const process = hub.processes[kills % hub.processes.length];
        await process?.kill();
        await setTimeout(AWAY_MS);
        await process?.restart();
        await setTimeout(KILL_EVERY_MS - AWAY_MS);
      }
      const deadline = performance.now() + DEADLINE_MS;
      let rollout = made;
      while (rollout.state === "running" && performance.now() < deadline) {
        rollout = (await ask("GET", `/rollouts/${made.rollout_id}`)).body;
        await setTimeout(200);
      }
      expect(rollout).toMatchObject({
        state: "completed",
        total: { devices: CONSOLES, succeeded: CONSOLES },
      });
      expect(consoles.filter(({ done }) => done.size !== 1)).toEqual([]);
      expect(consoles.flatMap(({ done }) => [...done.values()]).filter((times) => times !== 1)).toEqual([]);
    },
    2 * DEADLINE_MS,
  );
});
