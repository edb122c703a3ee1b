/**
 * Screens that conceal something, or that `device/home/screens.test.ts` does not reach, against the pictures that were kept of
 * them.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { SETUP, WIFI } from "../../../device/home/app/parts.js";
import { ConsoleModel, type ModelApp } from "./console-model.js";
import { COMPILE_TIMEOUT_MS, compileHome, fourApps, runHome } from "./home-app.js";
import type { ButtonName, HomeHost, Script } from "./home-host.js";
import { WIDTH } from "./home-host.js";
import { differenceFrom } from "./pictures.js";

let module: Uint8Array;
beforeAll(async () => {
  module = await compileHome();
}, COMPILE_TIMEOUT_MS);

interface Case {
  readonly name: string;
  readonly apps?: ModelApp[];
  readonly prepare?: (model: ConsoleModel) => void;
  readonly presses?: readonly ButtonName[];
  readonly script?: (host: HomeHost) => Script;
  readonly waitMs?: number;
}

const down = (count: number): ButtonName[] => Array.from({ length: count }, () => "down");

const SCREENS: readonly Case[] = [
  { name: "grid" },
  { name: "grid-moved", presses: ["right", "down"] },
  {
    name: "grid-offline",
    prepare: (model) => {
      model.wifi = { state: "unprovisioned", ip: "", rssi: 0 };
      model.hub = { url: "https://hub.example", connected: false };
    },
  },
  {
    name: "grid-wired",
    prepare: (model) => {
      model.wifi = { state: "joined", ip: "10.0.0.7", rssi: 0 };
      model.hub = { url: "https://hub.example", connected: true };
      model.isUsbConnected = true;
    },
  },
  { name: "uninstall-question", presses: ["start", "right", "a", "down"] },
  { name: "wifi-keyboard", presses: ["select", "a", "down", "a", "a", "y", "right", "a"] },
  { name: "wifi-symbols", presses: ["select", "a", "down", "a", "select", ...down(3)] },
  {
    name: "wifi-setup-row",
    prepare: (model) => {
      model.setup = { state: "closed" };
    },
    presses: ["select", "a", "down"],
  },
  {
    name: "setup",
    prepare: (model) => {
      model.setup = { state: "closed" };
    },
    presses: ["select", "a", "down", "a"],
  },
  {
    name: "setup-wrong-password",
    prepare: (model) => {
      model.setup = { state: "closed" };
    },
    presses: ["select", "a", "down", "a"],
    script: function* (host) {
      const last_error = { reason: "wrong_password", message: "" };
      host.model.wifi = { state: "waiting", ssid: "Workshop", ip: "", rssi: 0, last_error };
      host.model.setup = { ...host.model.setup, clients: 1, last_error };
      host.model.changed(SETUP | WIFI);
      yield 1000;
    },
  },
  {
    name: "setup-ended",
    prepare: (model) => {
      model.setup = { state: "closed" };
    },
    presses: ["select", "a", "down", "a"],
    script: function* (host) {
      host.model.setup = { state: "closed", ended: "timeout" };
      host.model.changed(SETUP);
      yield 1000;
    },
  },
  { name: "console", presses: ["select", "down", "a"] },
  {
    name: "hub-claim",
    prepare: (model) => {
      model.hub = { url: "https://hub.example/api/v1", connected: true, claim_code: "K7QX-29MB" };
    },
    presses: ["select", ...down(2), "a"],
  },
  {
    name: "question-uninstall",
    prepare: (model) => {
      model.hub = { url: "https://hub.example/api/v1", connected: true };
      model.questions = [{ id: "uninstall-1", kind: "uninstall", name: "bricks" }];
    },
  },
  {
    name: "hub-questions",
    prepare: (model) => {
      model.hub = { url: "https://hub.example/api/v1", connected: true };
      model.questions = [{ id: "install-1", kind: "install", name: "tetris", version: "2.0.0" }];
    },
    presses: ["a", "select", ...down(2), "a", "right", "right"],
  },
  {
    name: "hub-change",
    prepare: (model) => {
      model.hub = { url: "https://hub.example/api/v1", connected: true };
    },
    presses: ["select", ...down(2), "a", "a", "a", "start"],
  },
  {
    name: "firmware-taken-back",
    prepare: (model) => {
      const message = "Firmware 0.2.0 crashed before it was confirmed";
      model.firmware = { ...model.firmware, last_result: { result: "rolled_back", message } };
    },
    presses: ["select", ...down(3), "a"],
  },
  {
    name: "firmware-rejected",
    prepare: (model) => {
      const message = "The key of firmware 0.2.0 is revoked";
      model.firmware = { ...model.firmware, last_result: { result: "rejected", message } };
    },
    presses: ["select", ...down(3), "a"],
  },
  { name: "reset-done", presses: ["select", ...down(10), "a", "down", "a", "down", "a"] },
];

function show({ apps = fourApps(), prepare, presses = [], script, waitMs = 100 }: Case): HomeHost {
  const model = new ConsoleModel(apps);
  prepare?.(model);
  return runHome(
    module,
    function* (host) {
      yield* host.press(...presses);
      if (script) yield* script(host);
      yield waitMs;
    },
    model,
  );
}

/** Screens that are concealed from others below the title (docs/spec/home.md#secret). */
const SECRET = ["hub-change", "hub-claim", "setup", "setup-wrong-password", "wifi-keyboard", "wifi-symbols"];

describe("the home screen draws", () => {
  test.each(SCREENS)("$name", (screen) => {
    const host = show(screen);
    expect(host.log).toEqual([]);
    expect(host.lowestContrast.ratio, host.lowestContrast.text).toBeGreaterThanOrEqual(4.5);
    expect(host.concealed).toEqual(SECRET.includes(screen.name) ? [46, 300] : [46, 46]);
    expect(differenceFrom(screen.name, host.shown, WIDTH)).toBe(0);
  });
});
