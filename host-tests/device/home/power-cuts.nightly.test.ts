/**
 * Cuts power at each storage operation of each change that a user makes on the console, from the start of the console on, with
 * the torn last writes of the simulator. What was chosen is then as before or as chosen, whole, and the console starts and
 * shows its home screen (docs/spec/home.md#chosen, docs/spec/home.md#factory-reset).
 *
 * CI's sample cuts every fourth operation. A new change is a row in the table.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { type FirmwareConsole, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { HomeUser } from "../../hosts/home-user.js";
import { Publisher } from "../../hosts/publisher.js";
import { ConsoleDidNotStart } from "../../hosts/simulator.js";
import { inTier } from "../../tier.js";
import { install, THREE_APPS } from "./scenes.js";

type Request = readonly [path: string, params: Readonly<Record<string, unknown>>];

interface Change {
  readonly name: string;
  /** What the user has chosen before. */
  readonly before?: readonly Request[];
  readonly act: Request;
  /** What is chosen: as before and as chosen, and nothing else. */
  readonly old: Partial<Chosen>;
  readonly next: Partial<Chosen>;
}

/** Everything that a user chooses on a console. */
interface Chosen {
  readonly start_app: string;
  readonly brightness_percent: number;
  readonly sleep_after_s: number;
  readonly updates: string;
  readonly utc_offset: string;
  readonly network: string;
  readonly hub: string;
  readonly apps: readonly string[];
  /** Those that may go on in the background. */
  readonly background: readonly string[];
}

const SETTINGS = "/api/settings";
const WIFI = "/api/wifi";
const HUB = "/api/hub";
const SIMULATED = { ssid: "Simulated", password: "simulated" };
/** Nothing answers there. */
const [ONE, OTHER] = ["http://192.0.2.1", "http://192.0.2.2"];

const FIRST: Chosen = {
  start_app: "",
  brightness_percent: 100,
  sleep_after_s: 0,
  updates: "ask",
  utc_offset: "+00:00",
  network: "Host network",
  hub: "",
  apps: ["clock"],
  background: [],
};

const CHANGES: readonly Change[] = [
  {
    name: "the app at the start",
    act: [SETTINGS, { start_app: "clock" }],
    old: { start_app: "" },
    next: { start_app: "clock" },
  },
  {
    name: "the brightness",
    act: [SETTINGS, { brightness_percent: 40 }],
    old: { brightness_percent: 100 },
    next: { brightness_percent: 40 },
  },
  {
    name: "the time zone",
    act: [SETTINGS, { utc_offset: "-03:30" }],
    old: { utc_offset: "+00:00" },
    next: { utc_offset: "-03:30" },
  },
  {
    name: "the time until sleep",
    before: [[SETTINGS, { sleep_after_s: 1800 }]],
    act: [SETTINGS, { sleep_after_s: 600 }],
    old: { sleep_after_s: 1800 },
    next: { sleep_after_s: 600 },
  },
  {
    name: "how updates come",
    act: [SETTINGS, { updates: "automatic" }],
    old: { updates: "ask" },
    next: { updates: "automatic" },
  },
  {
    name: "an app in the background",
    act: ["/api/apps/background", { name: "clock", allowed: true }],
    old: { background: [] },
    next: { background: ["clock"] },
  },
  {
    name: "another network",
    act: [WIFI, SIMULATED],
    old: { network: "Host network" },
    next: { network: "Simulated" },
  },
  {
    name: "no network",
    before: [[WIFI, SIMULATED]],
    act: [WIFI, { forget: true }],
    old: { network: "Simulated" },
    next: { network: "" },
  },
  { name: "a hub", act: [HUB, { url: ONE }], old: { hub: "" }, next: { hub: ONE } },
  {
    name: "another hub",
    before: [[HUB, { url: ONE }]],
    act: [HUB, { url: OTHER }],
    old: { hub: ONE },
    next: { hub: OTHER },
  },
  {
    name: "no hub",
    before: [[HUB, { url: ONE }]],
    act: [HUB, { url: "" }],
    old: { hub: ONE },
    next: { hub: "" },
  },
  {
    name: "a factory reset",
    before: [
      [SETTINGS, { start_app: "clock", brightness_percent: 40, sleep_after_s: 600, updates: "automatic" }],
      [WIFI, SIMULATED],
      [HUB, { url: ONE }],
    ],
    act: ["/api/factory-reset", {}],
    old: {
      start_app: "clock",
      brightness_percent: 40,
      sleep_after_s: 600,
      updates: "automatic",
      network: "Simulated",
      hub: ONE,
    },
    next: { apps: [] },
  },
];

const publisher = new Publisher();
const scratch = mkdtempSync(path.join(tmpdir(), "console-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Exit status of the console at a power cut. */
const POWER_CUT = 99;
/** Which unflushed data is lost. */
const SEEDS = inTier({ quick: [1], sample: [1], nightly: [1, 2, 3] });
const STEP = inTier({ quick: 4, sample: 4, nightly: 1 });

type Environment = Readonly<Record<string, string>>;

async function withConsole<Result>(
  state: string,
  use: (user: HomeUser, console: FirmwareConsole) => Promise<Result>,
  environment: Environment = {},
): Promise<Result> {
  const console = await startFirmwareConsole({ publisher, state, environment });
  const user = await HomeUser.of(console);
  try {
    return await use(user, console);
  } finally {
    await user.close();
    await console.stop();
  }
}

async function send(user: HomeUser, [at, params]: Request): Promise<void> {
  const { status, body } = await user.ask("POST", at, params);
  expect(status, JSON.stringify(body)).toBe(200);
}

/** A state directory of a console with one app and what was chosen before. */
async function prepared(name: string, before: readonly Request[]): Promise<string> {
  const state = mkdtempSync(path.join(scratch, `${name.replaceAll(" ", "-")}-`));
  await withConsole(state, async (user, console) => {
    for (const app of THREE_APPS.slice(0, 1)) await install(console, app);
    for (const request of before) await send(user, request);
  });
  return state;
}

/** Makes the change until the power is cut. @returns whether it was */
async function isCut(state: string, { act }: Change, environment: Environment): Promise<boolean> {
  const started = startFirmwareConsole({ publisher, state, environment });
  const console = await started.catch((error: unknown) => {
    if (error instanceof ConsoleDidNotStart && error.status === POWER_CUT) return undefined;
    throw error;
  });
  if (!console) return true;
  const user = await HomeUser.of(console);
  const changed = send(user, act).then(async () => {
    if (act[0] === "/api/factory-reset") await console.waitForLine(/reset to factory settings/);
  });
  // The request of a console that is gone is never answered.
  const end = await Promise.race([changed.then(() => undefined), console.exited]);
  changed.catch(() => {});
  await user.close();
  return (end ?? (await console.stop())) === POWER_CUT;
}

/** Starts the console again, sees its home screen, and reads everything that is chosen. */
function chosenIn(state: string): Promise<Chosen> {
  return withConsole(state, async (user, console) => {
    const get = async (at: string) => (await user.ask("GET", at)).body;
    const settings = await get(SETTINGS);
    const { ssid: network = "" } = await get(WIFI);
    const { url: hub } = await get(HUB);
    const list: { readonly name: string; readonly background?: true }[] = await get("/api/apps/list");
    const apps = list.map(({ name }) => name);
    const background = list.filter((app) => app.background).map(({ name }) => name);
    if (settings.start_app !== "") await user.comeHome();
    await user.sees("home screen", ({ isHome }) => isHome);
    // The password is whole, too.
    if (network !== "") await expect.poll(async () => (await get(WIFI)).state).toBe("joined");
    expect(console.stderr.filter((line) => /reset reason is (crash|watchdog)/.test(line))).toEqual([]);
    return { ...settings, network, hub, apps, background };
  });
}

for (const change of CHANGES)
  test(`A power cut at any operation while ${change.name} is chosen leaves the old choice or the new one`, async () => {
    const before = await prepared(change.name, change.before ?? []);
    const [old, next] = [
      { ...FIRST, ...change.old },
      { ...FIRST, ...change.next },
    ];
    let cuts = 0;
    const found = { old: 0, next: 0 };
    for (const seed of SEEDS)
      for (let operation = 1, wasCut = true; wasCut; operation += STEP) {
        const state = mkdtempSync(path.join(scratch, "cut-"));
        cpSync(before, state, { recursive: true });
        const environment = { SVC_SIM_POWER_CUT: `${operation}`, SVC_SIM_POWER_SEED: `${seed}` };
        wasCut = await isCut(state, change, environment);
        const chosen = await chosenIn(state);
        expect(wasCut ? [old, next] : [next], `cut at ${operation} with seed ${seed}`).toContainEqual(chosen);
        if (wasCut) cuts++;
        found[JSON.stringify(chosen) === JSON.stringify(next) ? "next" : "old"]++;
        rmSync(state, { recursive: true, force: true });
      }
    console.log(`${change.name}: ${cuts} cuts, ${found.old} left the old choice`);
    expect(found.old).toBeGreaterThan(0);
  }, 1_800_000);
