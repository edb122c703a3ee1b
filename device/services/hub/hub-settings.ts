/**
 * The console's stored hub settings (docs/spec/storage-layout.md#setting-store), under `svc/hub/…`: the hub's address,
 * the device tokens, and the console's state with that hub. All except the tokens belongs to the stored address, and is
 * deleted before another address is stored. So a loss of power in between costs a registration, but never combines the
 * state of two hubs.
 */

import { isPlainId, type Registration } from "../../../hub-client/registration.js";
import { deviceTokenOf, isDeviceToken } from "../../../protocol/hub/device-token.js";
import { type HubAddress, parseHubAddress } from "../../../protocol/hub/hub-address.js";
import { parseJson } from "../../../protocol/json.js";
import type { Random } from "../../../protocol/ports/runtime.js";
import {
  HUB_CLAIM_CODE_SETTING,
  HUB_DEVICE_ID_SETTING,
  HUB_FIRMWARE_SETTING,
  HUB_PUSH_SETTING,
  HUB_RESULTS_SETTING,
  HUB_TOKEN_SETTING,
  HUB_TOKENS_SETTING,
  HUB_URL_SETTING,
  type Settings,
} from "../settings/settings.js";

/** Number of hubs whose tokens are kept (docs/spec/device-hub.md#token-per-hub). All of them fit one setting. */
const HUB_TOKENS_LIMIT = 8;

// A device token for each hub (docs/spec/device-hub.md#token-per-hub, docs/adr/0022-a-token-for-each-hub.md), so that
// no hub knows another hub's token. One setting holds the tokens of the last hubs by origin, the most recently set hub
// first, so that each change is one write. `svc/hub/device_token` (docs/spec/storage-layout.md#setting-store) is a copy
// of the token in use.

const TOKEN_BYTES = 16;
const LIMITS = Object.freeze({ byteLength: 4096, depth: 2, values: 64, names: [] });

/** Origin, token, and the token that replaces it once the hub has accepted that. */
type HubToken = readonly [origin: string, token: string, next?: string];

class HubTokens {
  readonly #settings: Settings;
  readonly #random: Random;

  constructor(settings: Settings, random: Random) {
    this.#settings = settings;
    this.#random = random;
  }

  /**
   * Completes a change that a loss of power interrupted. To be called before anything else.
   * @param origin the current hub's, `undefined` without a hub
   * @throws {Fault} `storage_full`
   */
  recover(origin: string | undefined): void {
    const tokens = this.#read();
    const known = origin === undefined ? undefined : find(tokens ?? [], origin)?.[1];
    // If the list is lost, the copy is the current hub's token. Without a hub, some hub may know it: no other gets it.
    const isKnownToSome = tokens === undefined && origin === undefined;
    const token = known ?? (isKnownToSome ? undefined : this.#spare) ?? this.#made();
    this.#copy(token);
    const isMissing = origin !== undefined && known === undefined;
    this.#write(isMissing ? [[origin, token], ...(tokens ?? [])] : (tokens ?? []));
  }

  /** The token for a hub; without a hub, the token for the first one that is set. */
  of(origin: string | undefined): string {
    const entry = origin === undefined ? undefined : find(this.#read() ?? [], origin);
    return entry?.[1] ?? this.#spare ?? "";
  }

  /**
   * Stores a token for the hub that is about to be set: its earlier token if the console knows the hub, else a new one.
   * @param before the hub's previous origin if it has moved: it keeps its token
   * @throws {Fault} `storage_full`, and nothing changes
   */
  claim(origin: string, before: string | undefined): void {
    const tokens = this.#read() ?? [];
    const moved = before === undefined ? undefined : find(tokens, before);
    const [, token, next] = moved ?? find(tokens, origin) ?? ["", this.#unused(tokens)];
    const others = tokens.filter((entry) => entry[0] !== origin && entry !== moved);
    this.#write([next === undefined ? [origin, token] : [origin, token, next], ...others]);
  }

  /** Copies the current hub's token to `svc/hub/device_token`. */
  follow(origin: string | undefined): void {
    try {
      this.#copy(this.of(origin));
    } catch {
      // The list is authoritative, and the next start makes the copy again.
    }
  }

  /**
   * The token that is to replace the hub's token. Stays the same until the hub accepts it.
   * @throws {Fault} `storage_full`
   */
  next(origin: string): string {
    const tokens = this.#read() ?? [];
    const [, token, pending] = find(tokens, origin) ?? [origin, this.of(origin)];
    const next = pending ?? this.#made();
    if (pending === undefined) this.#replace(tokens, [origin, token, next]);
    return next;
  }

  /**
   * The hub has accepted the next token: deletes the previous one.
   * @returns whether there was a next token
   * @throws {Fault} `storage_full`, and both tokens stay
   */
  advance(origin: string): boolean {
    const tokens = this.#read() ?? [];
    const next = find(tokens, origin)?.[2];
    if (next === undefined) return false;
    this.#replace(tokens, [origin, next]);
    this.follow(origin);
    return true;
  }

  #replace(tokens: readonly HubToken[], entry: HubToken): void {
    this.#write([entry, ...tokens.filter(([origin]) => origin !== entry[0])]);
  }

  /** The token in `svc/hub/device_token`: a spare one until a hub uses it, then a copy of that hub's. */
  get #spare(): string | undefined {
    const token = this.#settings.read(HUB_TOKEN_SETTING) ?? "";
    return isDeviceToken(token) ? token : undefined;
  }

  #unused(tokens: readonly HubToken[]): string {
    const spare = this.#spare;
    const isKnown = tokens.some(([, token, next]) => token === spare || next === spare);
    return spare === undefined || isKnown ? this.#made() : spare;
  }

  #made(): string {
    const bytes = new Uint8Array(TOKEN_BYTES);
    this.#random.getRandomValues(bytes);
    return deviceTokenOf(bytes);
  }

  #copy(token: string): void {
    this.#settings.write(HUB_TOKEN_SETTING, token);
  }

  #write(tokens: readonly HubToken[]): void {
    this.#settings.write(HUB_TOKENS_SETTING, JSON.stringify(tokens.slice(0, HUB_TOKENS_LIMIT)));
  }

  /** `undefined` if there is no list, or it cannot be read. */
  #read(): readonly HubToken[] | undefined {
    const text = this.#settings.read(HUB_TOKENS_SETTING);
    if (text === undefined) return undefined;
    try {
      const json = parseJson(new TextEncoder().encode(text), LIMITS);
      return Array.isArray(json) ? json.filter(isHubToken) : undefined;
    } catch {
      return undefined; // the list is damaged, and the copy of the token remains
    }
  }
}

function find(tokens: readonly HubToken[], origin: string): HubToken | undefined {
  return tokens.find((entry) => entry[0] === origin);
}

function isHubToken(value: unknown): value is HubToken {
  if (!Array.isArray(value)) return false;
  const [origin, token, next] = value as unknown[];
  return typeof origin === "string" && isToken(token) && (next === undefined || isToken(next));
}

function isToken(value: unknown): value is string {
  return typeof value === "string" && isDeviceToken(value);
}

/** Of {@link HUB_PUSH_SETTING}. */
const BEARER = "bearer";

const OF_ONE_HUB: readonly string[] = Object.freeze([
  HUB_DEVICE_ID_SETTING,
  HUB_CLAIM_CODE_SETTING,
  HUB_PUSH_SETTING,
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

  /** To be called once, before anything is stored. @throws {Fault} `storage_full` */
  recover(): void {
    this.#tokens.recover(this.#origin);
  }

  /** The token for the current hub. */
  get deviceToken(): string {
    return this.#tokens.of(this.#origin);
  }

  /** The hub's address as it was set; `""` for none. */
  get url(): string {
    return this.#settings.read(HUB_URL_SETTING) ?? "";
  }

  /** Whether the console is registered with the hub. */
  get isRegistered(): boolean {
    return this.#settings.read(HUB_DEVICE_ID_SETTING) !== undefined;
  }

  /** The hub's id of the console; `undefined` before it is registered, and if the hub gives none. */
  get deviceId(): string | undefined {
    return this.#settings.readValid(HUB_DEVICE_ID_SETTING, isPlainId);
  }

  /** The code with which an account claims the console; `undefined` once it is claimed. */
  get claimCode(): string | undefined {
    return this.#settings.readValid(HUB_CLAIM_CODE_SETTING, isPlainId);
  }

  /** Whether the hub takes the token of the push channel in `Authorization` (docs/spec/hub-push.md#channel-bearer). */
  get takesBearer(): boolean {
    return this.#settings.read(HUB_PUSH_SETTING) === BEARER;
  }

  /**
   * Stores the token before the address; the address is the commit point.
   * @param isSameHub whether the current hub has moved to `url`: its token and registration are kept
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
  setRegistration({ deviceId = "", claimCode, takesBearer }: Registration): void {
    if (claimCode === undefined) this.forgetClaimCode();
    else this.#settings.write(HUB_CLAIM_CODE_SETTING, claimCode);
    if (takesBearer) this.#settings.write(HUB_PUSH_SETTING, BEARER);
    else if (this.takesBearer) this.#settings.delete(HUB_PUSH_SETTING);
    this.#settings.write(HUB_DEVICE_ID_SETTING, deviceId);
  }

  forgetClaimCode(): void {
    if (this.claimCode !== undefined) this.#settings.delete(HUB_CLAIM_CODE_SETTING);
  }

  /**
   * The token that is to replace the one that the hub knows. Stays the same until the hub accepts it.
   * @throws {Fault} `storage_full`
   */
  nextToken(): string {
    return this.#tokens.next(this.#origin ?? "");
  }

  /** @returns whether the token has changed @throws {Fault} `storage_full`, and the token stays */
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
    return undefined; // no hub is set, or the stored address is damaged
  }
}
