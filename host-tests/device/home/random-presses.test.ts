/**
 * Presses at random on a console, which lead everywhere: apps are started and uninstalled, networks and the hub forgotten,
 * firmware updated, and the console reset to factory settings. Nothing traps, and home is never more than a few presses away
 * (docs/spec/home.md#back).
 *
 * `npm run test:all` makes a few presses, the nightly tests 10,000, and those see every screen. The seed is printed; `SVC_FUZZ_SEED`
 * takes it back.
 */
import { expect, test } from "vitest";
import * as texts from "../../../device/home/app/texts.js";
import { BUTTONS } from "../../../device/wasm/abi.js";
import type { HomeUser, Screen } from "../../hosts/home-user.js";
import { seededRandom } from "../../hosts/seeded-random.js";
import { inTier } from "../../tier.js";
import { endScene, install, offerFirmware, orderApp, type Scene, startScene, THREE_APPS } from "./scenes.js";

const SEED = Number(process.env["SVC_FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 32)) >>> 0 || 1;
const PRESSES = inTier({ quick: 80, sample: 600, nightly: 10_000 });
/** Before everything that the presses have taken away is brought back. */
const BETWEEN_FURNISHING = 40;
const BETWEEN_LOOKS_HOME = 20;
/** Longer than the home screen looks away from the buttons. */
const RELEASE_MS = 50;
/** A look at the display takes a tenth of a second, and many times that on a machine that is busy. */
const LIMIT_MS = inTier({ quick: 600_000, sample: 1_200_000, nightly: 3 * 60 * 60_000 });

/** How a screen is known by its title; a new screen is a row here. */
const GRID = "the grid";
const SCREENS: readonly string[] = [
  ...[GRID, texts.NO_APPS, texts.DETAILS, texts.UNINSTALL_QUESTION, texts.APP_ENDED, texts.FAILED],
  ...[texts.SETTINGS, texts.WIFI, texts.CONSOLE, texts.HUB, texts.FIRMWARE, texts.STORAGE, texts.LOG],
  ...[texts.DISPLAY, texts.AT_START, texts.UPDATES, texts.KEYS, texts.FACTORY_RESET, texts.RESET_SURE],
  ...[texts.WIFI_NAME, texts.WIFI_PASSWORD.trim(), texts.WIFI_FORGET_QUESTION, texts.SETUP],
  ...[texts.FIRMWARE_OFFER, texts.QUESTION_APP],
];

/** Of what is on the display; nothing for an app in front, or a screen that is just drawn. */
function nameOf({ title, isHome }: Screen): string | undefined {
  if (title === "") return isHome ? GRID : undefined;
  return SCREENS.find((screen) => title.startsWith(screen)) ?? title;
}

/** Brings back what was uninstalled, forgotten or reset. */
async function furnish(scene: Scene): Promise<void> {
  const { console, user, hub } = scene;
  const { body: apps } = await user.ask("GET", "/api/apps/list");
  const names = apps.map(({ name }: { name: string }) => name);
  for (const app of THREE_APPS) if (!names.includes(app.name)) await settled(() => install(console, app));
  const { body: wifi } = await user.ask("GET", "/api/wifi");
  if (wifi.ssid !== "Host network") await user.ask("POST", "/api/wifi", { ssid: "Host network" });
  const { body: chosen } = await user.ask("GET", "/api/hub");
  if (chosen.url !== hub?.url) await user.ask("POST", "/api/hub", { url: hub?.url });
}

/** The console may restart while it is furnished; what is missing then comes the next time. */
async function settled(work: () => Promise<unknown>): Promise<void> {
  await work().catch(() => {});
}

/** What else happens to a console. */
async function happen(scene: Scene, kind: number): Promise<void> {
  const { user } = scene;
  if (kind === 0) await user.ask("POST", "/api/apps/start", { name: "crasher" });
  if (kind === 2) await orderNewApp(scene);
  if (kind > 1) return;
  const { body: ota } = await user.ask("GET", "/api/ota/status");
  const { body: chosen } = await user.ask("GET", "/api/hub");
  if (!chosen.connected || ota.state !== "idle") return;
  const minor = Number(ota.running_version.split(".")[1]);
  await settled(() => offerFirmware(scene, `0.${minor + 1}.0`));
}

/** Of an app that the user is asked about. */
async function orderNewApp(scene: Scene): Promise<void> {
  await scene.user.ask("POST", "/api/settings", { updates: "ask_all" });
  const { body: hub } = await scene.user.ask("GET", "/api/hub");
  if (hub.connected) await settled(async () => orderApp(scene, "tetris"));
}

async function pressAtRandom(user: HomeUser, random: (limit: number) => number): Promise<Screen> {
  const name = BUTTONS[random(BUTTONS.length)] ?? "a";
  await user.hold(name);
  const screen = await user.look();
  await user.hold();
  await new Promise((resolve) => setTimeout(resolve, RELEASE_MS));
  return screen;
}

/** Also from an app in front, which has its own idea of B. */
async function goHome({ user }: Scene): Promise<void> {
  const { body: system } = await user.ask("GET", "/api/system");
  if (system.foreground !== undefined) await user.comeHome();
  await user.goHome();
}

test(
  `${PRESSES} presses at random trap nothing, and B always leads home`,
  async () => {
    console.log(`presses at random: SVC_FUZZ_SEED=${SEED}`);
    const random = seededRandom(SEED);
    const scene = await startScene({ apps: THREE_APPS, hasHub: true });
    const seen = new Map<string, number>();
    for (let press = 0; press < PRESSES; press++) {
      if (press % BETWEEN_FURNISHING === 0) await furnish(scene);
      if (press % BETWEEN_FURNISHING === BETWEEN_FURNISHING / 2) await happen(scene, random(4));
      const name = nameOf(await pressAtRandom(scene.user, random));
      if (name !== undefined) seen.set(name, (seen.get(name) ?? 0) + 1);
      if (press % BETWEEN_LOOKS_HOME === 0) await goHome(scene);
    }
    await goHome(scene);
    const { stderr } = scene.console;
    expect(stderr.filter((line) => / [WE] home: |reset reason is (crash|watchdog)/.test(line))).toEqual([]);
    await endScene(scene);
    console.log([...seen].map(([name, count]) => `${name} ${count}`).join(", "));
    expect([...seen.keys()].filter((name) => !SCREENS.includes(name))).toEqual([]);
    const unseen = SCREENS.filter((name) => !seen.has(name));
    if (PRESSES >= 10_000) expect(unseen).toEqual([]);
    else expect(seen.size).toBeGreaterThan(1); // on a busy machine many presses stay in an app
  },
  LIMIT_MS,
);
