/**
 * A hub on PostgreSQL as it grows: the 99th percentile of the answers of each endpoint that reads, with ten thousand consoles
 * and with a million (fewer in a short round), and the catalogue of 10,000 apps under load. The account that asks is the
 * same small one each time.
 */
import { setTimeout } from "node:timers/promises";
import { isMissing } from "../hosts/peers.js";
import { World } from "../hub/api/world.js";
import { fill } from "../hub/growth/filled-database.js";
import { READING, readingOf } from "../hub/growth/readings.js";
import { HubUnderTest } from "../hub/hosts/hub-under-test.js";
import { addressOf } from "../hub/hosts/request.js";
import { createTestDatabase } from "../hub/hosts/test-database.js";
import { inRound } from "./round.js";
import { type AddRow, timed } from "./row.js";
import { wrk } from "./wrk.js";

const SMALL = { accounts: 1000, apps: 10_000, commandsPerDevice: 9 };
const DEVICES = inRound({ full: { few: 10_000, many: 1_000_000 }, short: { few: 1000, many: 2000 } });
/** The first look is slower, since the server reads its files; afterwards it may still tidy up what was filled in. */
const ROUNDS = inRound({ full: 3, short: 2 });
const ASKED = inRound({ full: 1000, short: 20 });
/** Shares of all answers. One of a hundred may meet a clean-up of the server, or garbage of the hub: chance that half do not meet. */
const SHARES = Object.freeze([
  { share: 0.99, name: "99 of 100 answers" },
  { share: 0.5, name: "half of the answers" },
]);
const LOAD = { connections: 16, seconds: inRound({ full: 5, short: 1 }) };

export default async function measure(addRow: AddRow): Promise<void> {
  const missing = ["postgres", "wrk"].find((peer) => isMissing(peer as "postgres" | "wrk"));
  if (missing) return addRow("a hub as it grows", `not measured: the package ${missing} is missing`);
  const database = await createTestDatabase();
  const unlimited = { SVC_HUB_REQUESTS_PER_MINUTE: "0", SVC_HUB_ADDRESS_REQUESTS_PER_MINUTE: "0" };
  const environment = { SVC_HUB_DATABASE_URL: database.url, ...unlimited };
  const hub = await HubUnderTest.start(1, { environment, release: () => database.drop() });
  try {
    const world = await World.make(hub);
    const readings = await Promise.all(
      READING.map(async (row) => ({ row, ...(await readingOf(world, row)) })),
    );
    const measureAll = async () => {
      const figures: (readonly number[])[] = [];
      for (const { row, ...reading } of readings)
        figures.push(await timesMs(hub, reading, Math.min(ASKED, row.callsPerMinute ?? ASKED)));
      return figures;
    };
    const measureRounds = async () => {
      const rounds: (readonly (readonly number[])[])[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await measureAll());
      return rounds;
    };
    await fill(database.url, { ...SMALL, devices: DEVICES.few });
    const before = await measureRounds();
    await fill(database.url, { ...SMALL, devices: DEVICES.many }, DEVICES.few);
    const after = await measureRounds();
    for (const { share, name } of SHARES) {
      const { at, ratio, fewMs, manyMs } = worstOf(bestOf(before, share), bestOf(after, share));
      addRow(
        `${name}, ${DEVICES.many} consoles against ${DEVICES.few}: the worst of ${readings.length} endpoints`,
        `${ratio.toFixed(2)}: ${fewMs.toFixed(1)} / ${manyMs.toFixed(1)} ms, GET ${readings[at]?.row.path}`,
        "≤ 2",
      );
    }
    const catalogue = await wrk(`${hub.origin}/api/v1/catalog`, { ...LOAD, token: world.account.token });
    addRow(
      "GET /catalog of 10,000 apps on PostgreSQL",
      `${Math.round(catalogue.requestsPerSecond)} /s`,
      "≥ 5000 /s",
    );
  } finally {
    await hub.stop();
  }
}

/**
 * @param count of answers. Those for which the budget of the endpoint is used up are waited for.
 * @returns how long each took, the shortest first
 */
async function timesMs(
  hub: HubUnderTest,
  { path, token }: { readonly path: string; readonly token: string },
  count: number,
): Promise<readonly number[]> {
  const times: number[] = [];
  const headers = { authorization: `Bearer ${token}` };
  while (times.length < count) {
    let answer: Response | undefined;
    const ms = await timed(async () => {
      answer = await fetch(addressOf(hub.origin, path), { headers });
      await answer.arrayBuffer(); // not parsed, which would be this process's time
    });
    if (answer?.status === 429) await setTimeout(1000 * Number(answer.headers.get("retry-after")));
    else if (answer?.status === 200) times.push(ms);
    else throw new Error(`GET ${path} was answered ${answer?.status}`);
  }
  return times.sort((a, b) => a - b);
}

/** @returns for each endpoint the time within which a share of its answers came, in its best round */
function bestOf(rounds: readonly (readonly (readonly number[])[])[], share: number): readonly number[] {
  const [first = []] = rounds;
  return first.map((_endpoint, at) =>
    Math.min(
      ...rounds.map((endpoints) => {
        const times = endpoints[at] as readonly number[];
        return times[Math.floor(times.length * share) - 1] as number;
      }),
    ),
  );
}

/** The endpoint that has become slowest, of those whose times these are. */
function worstOf(few: readonly number[], many: readonly number[]) {
  const ratios = many.map((ms, at) => ms / (few[at] as number));
  const ratio = Math.max(...ratios);
  const at = ratios.indexOf(ratio);
  return { at, ratio, fewMs: few[at] as number, manyMs: many[at] as number };
}
