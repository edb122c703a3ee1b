/**
 * XS never frees memory that it has taken for slots, and an install needs chunks. A crowd within the limits takes most of
 * the heap for slots; after it has left, an install still finds chunks, without a restart
 * (docs/spec/memory.md#after-a-crowd).
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { type AppServer, startAppServer, stopInTime } from "../../hosts/heavy-apps.js";
import { getJson } from "../../hosts/http-client.js";
import { isMissing } from "../../hosts/peers.js";
import { SmallHub } from "../../hosts/small-hub.js";
import { ConnectionLost, HttpWorker } from "../../soak/http-worker.js";
import { INSTALLED_APPS, installApps, installSleepers, RUNNING_APPS, startTalkers } from "./full-console.js";

const CLIENTS = 7;
const VIEWERS = 4;
const ROUNDS = 40;

const TARGETS = ["/api/apps/list", "/api/logs", "/api/cmd?c=app+list", "/api/system", "/api/cmd?c=help", "/"];

let device: AppConsole;
let hub: SmallHub;
let server: AppServer;
beforeEach(async () => {
  hub = await SmallHub.start();
  server = await startAppServer(true);
});
afterEach(async () => {
  await device?.kill();
  server.close();
  await hub.close();
});

async function ask(): Promise<void> {
  const worker = new HttpWorker(device.http);
  for (let round = 0; round < ROUNDS; round++) {
    try {
      const { status, retryAfterS } = await worker.ask("GET", TARGETS[round % TARGETS.length] as string);
      if (status !== 503) expect(status).toBe(200);
      else expect(retryAfterS).toBe(1);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      await pause(20);
    }
  }
  worker.close();
}

test.skipIf(isMissing("multilib"))("After a crowd has left, an app can be installed", async () => {
  device = await startAppConsole({ variant: "m32", flags: ["--hub", hub.url] });
  await hub.connected();
  const talkers = await installApps(device, server, RUNNING_APPS);
  await startTalkers(device, server, talkers);
  const viewers = Array.from({ length: VIEWERS }, () => new WebSocket(device.ws).on("error", () => {}));
  await Promise.all(Array.from({ length: CLIENTS }, ask));
  for (const viewer of viewers) viewer.terminate();
  for (const name of talkers) await stopInTime(device, name);
  await installSleepers(device, INSTALLED_APPS, INSTALLED_APPS + 1);
  expect((await getJson(`${device.http}/api/system`)).reset_reason).toBe("power_on");
});
