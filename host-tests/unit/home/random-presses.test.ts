/** Presses at random over all screens: nothing traps, and B always leads home. */
import { beforeAll, describe, expect, test } from "vitest";
import * as part from "../../../device/home/app/parts.js";
import { BUTTONS } from "../../../device/wasm/abi.js";
import { seededRandom } from "../../hosts/seeded-random.js";
import { ConsoleModel } from "./console-model.js";
import { COMPILE_TIMEOUT_MS, compileHome, fourApps, manyApps, runHome } from "./home-app.js";
import type { HomeHost, Script } from "./home-host.js";
import { loadPart } from "./home-module.js";

let module: Uint8Array;
beforeAll(async () => {
  module = await compileHome();
}, COMPILE_TIMEOUT_MS);

const SEEDS = [1, 2, 3, 4];
const PRESSES = 2500;
/** A reset takes all apps: without more of them, most presses would be in an empty grid. */
const NAMES = ["bricks", "clock", "counter", "weather-station"];

/** What happens to the console while it is used. */
function disturb(model: ConsoleModel, random: (limit: number) => number): void {
  const name = NAMES[random(NAMES.length)] as string;
  const kind = random(10);
  if (kind === 0) model.apps = random(2) ? fourApps() : manyApps(random(70));
  else if (kind === 1 && model.apps.some((app) => app.name === name))
    model.end(name, { reason: ["trap", "exit", "quota"][random(3)], message: "integer divide by zero" });
  else if (kind === 2) Object.assign(model.firmware, { available: { version: `0.${random(9)}.0` } });
  else if (kind === 3)
    model.firmware["state"] = ["idle", "receiving", "staged", "pending_confirm"][random(4)];
  else if (kind === 4)
    model.hub = { url: "https://hub.example", connected: random(2) === 0, claim_code: "K7QX-29MB" };
  else if (kind === 5)
    model.questions = [...Array(random(5)).keys()].map((index) => ({
      id: `install-${random(20)}-${index}`,
      kind: "install",
      name,
      version: "1.0.0",
      ...(random(2) && { size_bytes: random(10_000_000), publisher: "P".repeat(random(70)) }),
    }));
  else if (kind === 6) model.isUsbConnected = !model.isUsbConnected;
  else if (kind === 7) disturbSetup(model, random);
  model.changed(part.EVERYWHERE | part.SETUP);
}

function disturbSetup(model: ConsoleModel, random: (limit: number) => number): void {
  const last_error = { reason: "wrong_password", message: "The password is wrong" };
  if (random(3) === 0) model.setup = { state: "closed", ended: ["joined", "timeout", "closed"][random(3)] };
  else if (model.setup?.["state"] !== "closed")
    Object.assign(model.setup ?? {}, {
      state: ["open", "joining", "joined"][random(3)],
      clients: random(9),
      ...(random(2) && { last_error }),
    });
}

function consoleWithSetup(): ConsoleModel {
  const model = new ConsoleModel(fourApps());
  model.setup = { state: "closed" };
  return model;
}

function* pressAtRandom(host: HomeHost, random: (limit: number) => number): Script {
  for (let press = 0; press < PRESSES; press++) {
    yield* host.press(BUTTONS[random(BUTTONS.length)] ?? "a");
    if (press % 20 === 0) disturb(host.model, random);
    host.model.front = undefined; // an app in front ends at once
    if (press % 100 === 0) yield* goHome(host);
  }
}

/** A card may come while B is pressed: that is one press more. */
function* goHome(host: HomeHost): Script {
  for (let press = 0; press < 8; press++) yield* host.press("b");
  expect(isHome(host), host.texts.join("\n")).toBe(true);
}

function isHome(host: HomeHost): boolean {
  return host.shows("SELECT Menu");
}

describe.each(SEEDS)("presses with seed %i", (seed) => {
  test(`all ${PRESSES} lead on, and home`, () => {
    const random = seededRandom(seed);
    const host = runHome(module, (host) => pressAtRandom(host, random), consoleWithSetup());
    expect(host.log).toEqual([]);
    expect(host.lowestContrast.ratio, host.lowestContrast.text).toBeGreaterThanOrEqual(4.5);
    expect(host.model.requests.length).toBeGreaterThan(500);
  });
});

test("presses with answers that are damaged at random trap nothing, either", () => {
  const random = seededRandom(99);
  const model = consoleWithSetup();
  model.distort = (body) => {
    const bytes = Uint8Array.from(body);
    if (random(3) > 0 || bytes.length === 0) return bytes;
    for (let i = random(4); i >= 0; i--) bytes[random(bytes.length)] = random(256);
    return random(4) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
  };
  const host = runHome(module, (host) => pressAtRandom(host, random), model);
  expect(host.log).toEqual([]);
});

test(
  "the module is small, and has memory left",
  async () => {
    expect(module.length).toBeLessThan(50 * 1024 + 1);
    const room = await loadPart("room");
    expect(room["freeBytes"]?.()).toBeGreaterThan(1024);
  },
  COMPILE_TIMEOUT_MS,
);
