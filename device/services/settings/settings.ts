/**
 * The console's settings, by path: `svc/http/token` is the key `token` in the domain `svc/http` of the key-value
 * storage.
 */
import type { KeyValueDomain, KeyValueStorage } from "../../ports/key-value.js";
import { storageFault } from "../storage/stored-files.js";

/** Paths of the console's settings. A domain and a key have at most 15 characters each (NVS). */
export const TOKEN_SETTING = "svc/http/token";
export const LOG_LEVEL_SETTING = "svc/log/level";
/** Written by `services/firmware/acceptance.ts` alone. */
export const SECURITY_FLOOR_SETTING = "svc/ota/security";
export const STAGED_SECURITY_SETTING = "svc/ota/staged";
/** Written by `services/firmware/acceptance.ts` alone. */
export const STAGED_SIGNER_SETTING = "svc/ota/signer";
/** Written by `services/trust/revocations.ts` alone. */
export const REVOCATIONS_SETTING = "svc/keys/revoked";
/** Holds a password. Read and written by `services/wifi/credentials.ts` alone. */
export const WIFI_NETWORK_SETTING = "svc/wifi/network";
/** Written by `services/firmware/update-phase.ts` alone. */
export const LAST_UPDATE_SETTING = "svc/ota/last";
/** Written by `services/hub/hub-settings.ts` alone; each token is a secret between console and hub. */
export const HUB_TOKEN_SETTING = "svc/hub/device_token";
export const HUB_TOKENS_SETTING = "svc/hub/tokens";
/** Written by `services/hub/hub-settings.ts` alone. */
export const HUB_URL_SETTING = "svc/hub/url";
export const HUB_DEVICE_ID_SETTING = "svc/hub/device_id";
export const HUB_CLAIM_CODE_SETTING = "svc/hub/claim_code";
export const HUB_PUSH_SETTING = "svc/hub/push";
/** Written by `services/hub/command-queue.ts`; deleted by `services/hub/hub-settings.ts` with the hub. */
export const HUB_RESULTS_SETTING = "svc/hub/results";
/** Written by `services/hub/firmware-orders.ts`; deleted by `services/hub/hub-settings.ts` with the hub. */
export const HUB_FIRMWARE_SETTING = "svc/hub/firmware";

/** Written by `services/preferences/preferences.ts`. */
export const START_APP_SETTING = "svc/home/start_app";
export const UPDATES_SETTING = "svc/home/updates";
export const BRIGHTNESS_SETTING = "svc/home/brightness";
export const SLEEP_SETTING = "svc/home/sleep_s";
export const UTC_OFFSET_SETTING = "svc/home/utc_offset";
/** Written by `services/apps/start-app.ts`; the second one is deleted with a new choice as well. */
export const LAST_APP_SETTING = "svc/home/last_app";
export const START_TRIES_SETTING = "svc/home/tries";
/** Present while a factory reset is due. Written by `services/restart/factory-reset.ts` alone. */
export const RESET_SETTING = "svc/reset/due";

/** What a factory reset deletes. What guards firmware and keys is no user's. */
export const PERSONAL_SETTINGS: readonly string[] = Object.freeze([
  ...[TOKEN_SETTING, LOG_LEVEL_SETTING, WIFI_NETWORK_SETTING, LAST_UPDATE_SETTING],
  ...[HUB_TOKEN_SETTING, HUB_TOKENS_SETTING, HUB_URL_SETTING, HUB_DEVICE_ID_SETTING],
  ...[HUB_CLAIM_CODE_SETTING, HUB_PUSH_SETTING, HUB_RESULTS_SETTING, HUB_FIRMWARE_SETTING],
  ...[
    BRIGHTNESS_SETTING,
    SLEEP_SETTING,
    UTC_OFFSET_SETTING,
    START_APP_SETTING,
    UPDATES_SETTING,
    LAST_APP_SETTING,
    START_TRIES_SETTING,
  ],
]);

const DIGITS = /^[0-9]{1,10}$/;

export class Settings {
  readonly #storage: KeyValueStorage;

  constructor(storage: KeyValueStorage) {
    this.#storage = storage;
  }

  /** @returns the value, or `undefined` if none was written */
  read(path: string): string | undefined {
    return this.#with(path, (domain, key) => domain.read(key));
  }

  /**
   * Settings outlive what wrote them: a power cut, other firmware or a hand may have left anything.
   * @returns the value, or `undefined` if none was written, or what is there is not valid
   */
  readValid(path: string, isValid: (value: string) => boolean): string | undefined {
    const value = this.read(path);
    return value !== undefined && isValid(value) ? value : undefined;
  }

  /** @returns a whole number within the limits, or `undefined` */
  readNumber(path: string, least: number, most: number): number | undefined {
    const text = this.readValid(path, (value) => DIGITS.test(value));
    const value = Number(text);
    return value >= least && value <= most ? value : undefined;
  }

  /**
   * Stores the value safely before it returns, even from a loss of power. Does not write an unchanged value.
   * @throws {Fault} `storage_full`, and the old value stays
   */
  write(path: string, value: string): void {
    this.#with(path, (domain, key) => {
      if (domain.read(key) !== value) domain.write(key, value);
    });
  }

  /** Deletes the value if there is one. */
  delete(path: string): void {
    this.#with(path, (domain, key) => domain.delete(key));
  }

  #with<Result>(path: string, use: (domain: KeyValueDomain, key: string) => Result): Result {
    const slash = path.lastIndexOf("/");
    const domain = this.#storage.open({ path: path.slice(0, slash), format: "string" });
    try {
      return use(domain, path.slice(slash + 1));
    } catch (error) {
      throw storageFault(error, `Cannot store "${path}"`);
    } finally {
      domain.close();
    }
  }
}
