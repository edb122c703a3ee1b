/**
 * `device.apps`: the hub is told what is installed, on connect and after each change
 * (docs/spec/device-hub.md#apps-report).
 */
import { expect, test } from "vitest";
import {
  APPS_PIECE_CHARACTERS,
  deviceAppsPieces,
  type ReportedApps,
} from "../../../../device/services/hub/app-orders.js";
import type { DeviceApp, DeviceApps } from "../../../../protocol/hub/push-messages.js";
import { flashedStorage } from "../firmware/emulated-update.js";
import { HubRun, OWNER } from "./emulated-hub.js";

const appOf = (name: string): DeviceApp => ({ name, version: "1.0.0", size: 1000, running: false });

function appsOf(list: DeviceApp[]): ReportedApps {
  return {
    nameAfter: (before) => list.find(({ name }) => name > before)?.name,
    deviceApp(name) {
      const app = list.find((each) => each.name === name);
      if (!app) throw new Error("It has gone");
      return app;
    },
  };
}

function start(list: DeviceApp[] = []): HubRun {
  const apps = Object.assign(appsOf(list), { has: () => false, uninstall: async () => {} });
  return new HubRun(flashedStorage(), { apps }).connect();
}

const reports = (run: HubRun) =>
  run.link.sent
    .splice(0)
    .filter((message): message is DeviceApps => message.type === "device.apps")
    .map(({ apps }) => apps);

test("The installed apps are sent on connect, after the status", () => {
  const run = start([appOf("chess"), appOf("tetris")]);
  run.clock.advance(0);
  expect(run.link.sent.map(({ type }) => type)).toEqual(["device.status", "device.started", "device.apps"]);
  expect(reports(run)).toEqual([[appOf("chess"), appOf("tetris")]]);
  run.link.lose();
  run.link.open();
  run.clock.advance(0);
  expect(reports(run)).toHaveLength(1);
});

test("Successive changes are sent in one message", () => {
  const list: DeviceApp[] = [];
  const run = start(list);
  run.clock.advance(0);
  expect(reports(run)).toEqual([[]]);
  list.push(appOf("tetris"));
  run.hub.appsChanged();
  list[0] = { ...appOf("tetris"), running: true };
  run.hub.appsChanged();
  run.clock.advance(60);
  expect(reports(run)).toEqual([]);
  run.clock.advance(1000);
  expect(reports(run)).toEqual([[{ ...appOf("tetris"), running: true }]]);
});

test("A report that the channel cannot accept is sent a moment later, and none without a channel", () => {
  const run = start([appOf("tetris")]);
  run.link.isStuck = true;
  run.clock.advance(0);
  run.link.isStuck = false;
  run.clock.advance(1000);
  expect(reports(run)).toHaveLength(1);
  run.link.lose();
  run.hub.appsChanged();
  expect(run.clock.timerCount).toBe(0);
  run.hub.set("", OWNER);
  run.hub.appsChanged();
});

test("The change by a command is sent before its result, and once", async () => {
  const list = [appOf("tetris")];
  const apps = Object.assign(appsOf(list), {
    has: () => true,
    uninstall: async () => {
      list.pop();
      run.hub.appsChanged();
    },
  });
  const run = new HubRun(flashedStorage(), { apps }).connect();
  run.clock.advance(0);
  run.link.sent.length = 0;
  run.link.options.onMessage({ type: "app.uninstall", command_id: "one", app_id: "tetris" });
  const told = () => {
    run.clock.advance(0);
    return run.link.sent.length;
  };
  await expect.poll(told).toBe(2);
  expect(run.link.sent).toEqual([
    { type: "device.apps", apps: [] },
    { type: "app.uninstall.result", command_id: "one", app_id: "tetris", success: true, error: null },
  ]);
  run.clock.advance(1000);
  expect(run.link.sent).toHaveLength(2);
});

for (const count of [0, 1, 5, 64])
  test(`The message of ${count} apps is sent in pieces of about five apps`, () => {
    const list = Array.from({ length: count }, (_, at) => appOf(`app-${"x".repeat(20)}-${at + 10}`));
    const next = deviceAppsPieces(appsOf(list));
    const pieces: string[] = [];
    for (let piece = next(); piece !== undefined; piece = next()) pieces.push(piece);
    expect(JSON.parse(pieces.join(""))).toEqual({ type: "device.apps", apps: list });
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(APPS_PIECE_CHARACTERS + 200);
    expect(pieces.length).toBeGreaterThanOrEqual(Math.ceil(count / 10));
  });

test("An app that is removed meanwhile, or has a damaged record, is left out", () => {
  const apps = { ...appsOf([appOf("b")]), nameAfter: appsOf(["a", "b", "c"].map(appOf)).nameAfter };
  const next = deviceAppsPieces(apps);
  expect(JSON.parse(`${next()}`)).toEqual({ type: "device.apps", apps: [appOf("b")] });
  expect(next()).toBeUndefined();
});
