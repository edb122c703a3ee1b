/**
 * What the console remembers of its hub (section 14 of the decisions), under `svc/hub/…`. The device token is the
 * console's own, made at its first boot and the same for every hub. All else is of the hub whose address is kept, and is
 * forgotten before another address is: a loss of power in between costs a registration, and mixes nothing up.
 */
import type { Registration } from "../../../hub-client/registration.js";
import { deviceTokenOf, isDeviceToken } from "../../../protocol/hub/device-token.js";
import type { Random } from "../../ports/bytes.js";
import {
  HUB_CLAIM_CODE_SETTING,
  HUB_DEVICE_ID_SETTING,
  HUB_FIRMWARE_SETTING,
  HUB_RESULTS_SETTING,
  HUB_TOKEN_SETTING,
  HUB_URL_SETTING,
} from "../settings/paths.js";
import type { Settings } from "../settings/settings.js";

const TOKEN_BYTES = 16;
const OF_ONE_HUB: readonly string[] = Object.freeze([
  HUB_DEVICE_ID_SETTING,
  HUB_CLAIM_CODE_SETTING,
  HUB_RESULTS_SETTING,
  HUB_FIRMWARE_SETTING,
]);

export class HubSettings {
  readonly #settings: Settings;

  /** Makes the device token where there is none yet. */
  constructor(settings: Settings, random: Random) {
    this.#settings = settings;
    if (isDeviceToken(settings.read(HUB_TOKEN_SETTING) ?? "")) return;
    const bytes = new Uint8Array(TOKEN_BYTES);
    random.getRandomValues(bytes);
    settings.write(HUB_TOKEN_SETTING, deviceTokenOf(bytes));
  }

  get deviceToken(): string {
    return this.#settings.read(HUB_TOKEN_SETTING) ?? "";
  }

  /** As it was set; `""` for none. */
  get url(): string {
    return this.#settings.read(HUB_URL_SETTING) ?? "";
  }

  /** The hub's name for the console; `undefined` before it is registered. */
  get deviceId(): string | undefined {
    return this.#settings.read(HUB_DEVICE_ID_SETTING);
  }

  /** What an account takes the console with, until one has. */
  get claimCode(): string | undefined {
    return this.#settings.read(HUB_CLAIM_CODE_SETTING);
  }

  /** @throws {Fault} `storage_full` */
  setUrl(url: string): void {
    if (url === this.url) return;
    for (const path of OF_ONE_HUB) this.#settings.delete(path);
    if (url === "") this.#settings.delete(HUB_URL_SETTING);
    else this.#settings.write(HUB_URL_SETTING, url);
  }

  /** @throws {Fault} `storage_full` */
  setRegistration({ deviceId, claimCode }: Registration): void {
    if (claimCode === undefined) this.forgetClaimCode();
    else this.#settings.write(HUB_CLAIM_CODE_SETTING, claimCode);
    this.#settings.write(HUB_DEVICE_ID_SETTING, deviceId);
  }

  forgetClaimCode(): void {
    if (this.claimCode !== undefined) this.#settings.delete(HUB_CLAIM_CODE_SETTING);
  }
}
