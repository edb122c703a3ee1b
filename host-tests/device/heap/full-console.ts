/** A console with nearly as many apps as it keeps, some of which use all their connections. */
import { expect } from "vitest";
import type { AppConsole } from "../../hosts/app-console.js";
import { moduleOf } from "../../hosts/app-files.js";
import {
  type AppServer,
  CONNECTIONS_OF_AN_APP,
  connecting,
  heavyName,
  heavyUpload,
  installInTime,
  SLEEPER,
} from "../../hosts/heavy-apps.js";
import { inTier } from "../../tier.js";

export const INSTALLED_APPS = inTier({ quick: 23, sample: 63, nightly: 63 });
export const RUNNING_APPS = 4;

/** Installs sleeping apps with the numbers from `from` to below `to`. */
export async function installSleepers(device: AppConsole, from: number, to: number): Promise<void> {
  const sleeper = await moduleOf(SLEEPER);
  for (let number = from; number < to; number++)
    await installInTime(device, heavyUpload(device, heavyName(number), sleeper));
}

/**
 * Fills the console with {@link INSTALLED_APPS} apps, of which the first `talkerCount` connect to `server`.
 * @returns the names of these
 */
export async function installApps(
  device: AppConsole,
  server: AppServer,
  talkerCount: number,
): Promise<readonly string[]> {
  const talker = await moduleOf(connecting(server.port, 5));
  const talkers = Array.from({ length: talkerCount }, (_, number) => heavyName(number));
  for (const name of talkers) await installInTime(device, heavyUpload(device, name, talker));
  await installSleepers(device, talkerCount, INSTALLED_APPS);
  return talkers;
}

/** Starts as many talkers as may run, and waits until all their connections are open. */
export async function startTalkers(
  device: AppConsole,
  server: AppServer,
  talkers: readonly string[],
): Promise<void> {
  for (const name of talkers.slice(0, RUNNING_APPS))
    expect((await device.app("start", name)).status).toBe(200);
  await expect.poll(() => server.connections).toBe(RUNNING_APPS * CONNECTIONS_OF_AN_APP);
}
