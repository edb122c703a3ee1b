/** Factory reset (docs/spec/home.md#factory-reset). */
import { expect, test } from "vitest";
import { performFactoryReset } from "../../../../device/services/restart/factory-reset.js";
import {
  HUB_URL_SETTING,
  LOG_LEVEL_SETTING,
  PERSONAL_SETTINGS,
  RESET_SETTING,
  REVOCATIONS_SETTING,
  SECURITY_FLOOR_SETTING,
  Settings,
  TOKEN_SETTING,
  WIFI_NETWORK_SETTING,
} from "../../../../device/services/settings/settings.js";
import { makeDirectories, statusOf } from "../../../../device/services/storage/stored-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { sweepPowerCuts } from "../../../hosts/power-sweep.js";

const PERSONAL_FILES = [
  ...["apps/clock/app.json", "apps/clock/data/score", "apps/.staging/part"],
  "hub/owner_keys.pem",
];
const KEYS = ["hub/trusted_keys.pem", "hub/revocations.bin"];
const GUARDS = [REVOCATIONS_SETTING, SECURITY_FLOOR_SETTING];

function use({ files, keyValue }: EmulatedStorage): void {
  for (const path of [...PERSONAL_FILES, ...KEYS]) {
    makeDirectories(files, path.slice(0, path.lastIndexOf("/")));
    const file = files.openFile({ path, mode: "w" });
    file.write(Uint8Array.of(1, 2, 3), 0);
    file.flush();
    file.close();
  }
  const settings = new Settings(keyValue);
  for (const path of [...PERSONAL_SETTINGS, ...GUARDS]) settings.write(path, "1");
}

const start = ({ files, keyValue }: EmulatedStorage) => performFactoryReset(new Settings(keyValue), files);
const request = ({ keyValue }: EmulatedStorage) => new Settings(keyValue).write(RESET_SETTING, "requested");

/** Whether anything of the user's is there, and everything else is. */
function remains({ files, keyValue }: EmulatedStorage): { personal: boolean; guards: boolean } {
  const settings = new Settings(keyValue);
  const isSet = (path: string) => settings.read(path) !== undefined;
  return {
    personal:
      PERSONAL_SETTINGS.some(isSet) ||
      ["apps", "hub/owner_keys.pem"].some((path) => statusOf(files, path) !== undefined),
    guards: GUARDS.every(isSet) && KEYS.every((path) => statusOf(files, path)?.size === 3),
  };
}

test("Without a request a start deletes nothing", () => {
  const storage = new EmulatedStorage();
  use(storage);
  expect(start(storage)).toBeUndefined();
  expect(remains(storage)).toEqual({ personal: true, guards: true });
});

test("The start after a request deletes what is the user's once, and keeps keys and what they forbid", () => {
  const storage = new EmulatedStorage();
  use(storage);
  request(storage);
  expect(start(storage)).toMatch(/^reset to factory settings/);
  expect(remains(storage)).toEqual({ personal: false, guards: true });
  expect(start(storage)).toBeUndefined();
});

test("A console that was never used is reset as well", () => {
  const storage = new EmulatedStorage();
  request(storage);
  expect([start(storage), start(storage)]).toEqual([expect.stringMatching(/^reset/), undefined]);
});

test("A reset that fails is told, does not keep the console from starting, and is due again", () => {
  const storage = new EmulatedStorage();
  use(storage);
  request(storage);
  const { files } = storage;
  const broken = {
    status: (path: string) => files.status(path),
    scan: (path?: string) => files.scan(path),
    delete: fail,
  } as unknown as typeof files;
  const line = performFactoryReset(new Settings(storage.keyValue), broken);
  expect(line).toMatch(/^the reset to factory settings is not complete: Error: the medium is worn out/);
  expect(start(storage)).toMatch(/^reset to factory settings/);
});

function fail(): never {
  throw new Error("the medium is worn out");
}

test("What the user's are: networks, hub, tokens, level of the log", () =>
  expect(PERSONAL_SETTINGS).toEqual(
    expect.arrayContaining([WIFI_NETWORK_SETTING, HUB_URL_SETTING, TOKEN_SETTING, LOG_LEVEL_SETTING]),
  ));

test("A power cut during a reset puts it off, and the next start completes it", async () => {
  const cuts = await sweepPowerCuts({
    prepare(storage) {
      use(storage);
      request(storage);
    },
    act: (storage) => void start(storage),
    check(storage) {
      start(storage);
      expect(remains(storage)).toEqual({ personal: false, guards: true });
      expect(start(storage)).toBeUndefined();
    },
  });
  expect(cuts).toBeGreaterThan(15);
});
