/**
 * The console's stored settings of its hub (docs/spec/storage-layout.md#setting-store), under `svc/hub/…`: its address,
 * the known device token, and its state with that hub. All but the tokens belongs to the hub whose address is stored,
 * and is deleted before another address is stored: a loss of power in between costs a registration, and mixes nothing
 * up.
 */
import type { Registration } from "../../../hub-client/registration.js";
import { type HubAddress, parseHubAddress } from "../../../protocol/hub/hub-address.js";
import type { Random } from "../../../protocol/ports/bytes.js";
import {
  HUB_CLAIM_CODE_SETTING,
  HUB_DEVICE_ID_SETTING,
  HUB_FIRMWARE_SETTING,
  HUB_RESULTS_SETTING,
  HUB_URL_SETTING,
} from "../settings/paths.js";
import type { Settings } from "../settings/settings.js";
import { HubTokens } from "./hub-tokens.js";

const OF_ONE_HUB: readonly string[] = Object.freeze([
  HUB_DEVICE_ID_SETTING,
  HUB_CLAIM_CODE_SETTING,
  HUB_RESULTS_SETTING,
  HUB_FIRMWARE_SETTING,
]);

export class HubSettings {
  readonly #settings: Settings;
  readonly #tokens: HubTokens;

  constructor(settings: Settings, random: Random) {
    this.#settings = settings;
    this.#tokens = new HubTokens(settings, random);
  }

  /** To be called once, before anything is kept. @throws {Fault} `storage_full` */
  recover(): void {
    this.#tokens.recover(this.#origin);
  }

  /** Of the hub that is set. */
  get deviceToken(): string {
    return this.#tokens.of(this.#origin);
  }

  /** As it was set; `""` for none. */
  get url(): string {
    return this.#settings.read(HUB_URL_SETTING) ?? "";
  }

  /** Whether the hub knows the console. */
  get isRegistered(): boolean {
    return this.#settings.read(HUB_DEVICE_ID_SETTING) !== undefined;
  }

  /** The hub's name for the console; `undefined` before it is registered, and where the hub gives none. */
  get deviceId(): string | undefined {
    return this.#settings.read(HUB_DEVICE_ID_SETTING) || undefined;
  }

  /** What an account takes the console with, until one has. */
  get claimCode(): string | undefined {
    return this.#settings.read(HUB_CLAIM_CODE_SETTING);
  }

  /**
   * The token is safe before the address is, and the address is the commit point.
   * @param isSameHub the hub that is set has moved there: it keeps the console's token and its registration
   * @throws {Fault} `storage_full`
   */
  setUrl(url: string, isSameHub: boolean): void {
    if (url === this.url) return;
    const before = isSameHub ? this.#origin : undefined;
    if (url !== "") this.#tokens.claim(parseHubAddress(url).origin, before);
    if (before === undefined) for (const path of OF_ONE_HUB) this.#settings.delete(path);
    if (url === "") this.#settings.delete(HUB_URL_SETTING);
    else this.#settings.write(HUB_URL_SETTING, url);
    this.#tokens.follow(this.#origin);
  }

  /** @throws {Fault} `storage_full` */
  setRegistration({ deviceId = "", claimCode }: Registration): void {
    if (claimCode === undefined) this.forgetClaimCode();
    else this.#settings.write(HUB_CLAIM_CODE_SETTING, claimCode);
    this.#settings.write(HUB_DEVICE_ID_SETTING, deviceId);
  }

  forgetClaimCode(): void {
    if (this.claimCode !== undefined) this.#settings.delete(HUB_CLAIM_CODE_SETTING);
  }

  /**
   * A token that shall take the place of the one that the hub knows: the same one until it has.
   * @throws {Fault} `storage_full`
   */
  nextToken(): string {
    return this.#tokens.next(this.#origin ?? "");
  }

  /** @returns whether the token has changed @throws {Fault} `storage_full`, and it has not */
  acceptNextToken(): boolean {
    return this.#tokens.advance(this.#origin ?? "");
  }

  get #origin(): string | undefined {
    return addressOf(this.url)?.origin;
  }
}

/** `undefined` for an invalid hub address. */
export function addressOf(url: string): HubAddress | undefined {
  try {
    return parseHubAddress(url);
  } catch {
    return undefined; // none is set, or the storage is damaged
  }
}
