/**
 * A device token for each hub (docs/spec/device-hub.md#token-per-hub, docs/adr/0022-a-token-for-each-hub.md): a hub
 * knows the token that it has registered, and no other hub's. One setting holds the tokens of the last hubs by origin,
 * the most recently set hub first, so that each change is one write. `svc/hub/device_token`
 * (docs/spec/storage-layout.md#setting-store) is a copy of the token in use.
 */
import { deviceTokenOf, isDeviceToken } from "../../../protocol/hub/device-token.js";
import { parseJson } from "../../../protocol/json.js";
import type { Random } from "../../../protocol/ports/bytes.js";
import { HUB_TOKEN_SETTING, HUB_TOKENS_SETTING } from "../settings/paths.js";
import type { Settings } from "../settings/settings.js";
import { HUB_TOKENS_LIMIT } from "./limits.js";

const TOKEN_BYTES = 16;
const LIMITS = Object.freeze({ byteLength: 4096, depth: 2, values: 64, names: [] });

/** Origin, token, and the token that takes its place once the hub has accepted it. */
type HubToken = readonly [origin: string, token: string, next?: string];

/** Origin of a token that some hub of version 0.1.0 may know: no other hub gets it. */
const UNKNOWN_HUB = "";

export class HubTokens {
  readonly #settings: Settings;
  readonly #random: Random;

  constructor(settings: Settings, random: Random) {
    this.#settings = settings;
    this.#random = random;
  }

  /**
   * Completes what a loss of power has left half done, and what version 0.1.0 has left: its one token stays with the
   * hub that is set. To be called before anything else.
   * @param origin of the hub that is set, `undefined` where there is none
   * @throws {Fault} `storage_full`
   */
  recover(origin: string | undefined): void {
    const spare = this.#spare;
    const before = this.#read() ?? (spare === undefined ? [] : [[origin ?? UNKNOWN_HUB, spare] as const]);
    const isMissing = origin !== undefined && !find(before, origin);
    this.#write(isMissing ? [[origin, spare ?? this.#made()], ...before] : before);
    this.#copy(this.of(origin) || this.#made());
  }

  /** The token of a hub; without a hub the one that waits for the first. */
  of(origin: string | undefined): string {
    const entry = origin === undefined ? undefined : find(this.#read() ?? [], origin);
    return entry?.[1] ?? this.#spare ?? "";
  }

  /**
   * Keeps a token for a hub that is set next: its own where the console knows the hub, else a new one.
   * @param before origin of the same hub until now, which has moved and keeps its token
   * @throws {Fault} `storage_full`, and nothing changes
   */
  claim(origin: string, before: string | undefined): void {
    const tokens = this.#read() ?? [];
    const moved = before === undefined ? undefined : find(tokens, before);
    const [, token, next] = moved ?? find(tokens, origin) ?? ["", this.#unused(tokens)];
    const others = tokens.filter((entry) => entry[0] !== origin && entry !== moved);
    this.#write([next === undefined ? [origin, token] : [origin, token, next], ...others]);
  }

  /** Copies the token of the hub that is set now to `svc/hub/device_token`. */
  follow(origin: string | undefined): void {
    try {
      this.#copy(this.of(origin));
    } catch {
      // The list counts, and the next start makes the copy again.
    }
  }

  /**
   * A token that shall take the place of the hub's token: the same one until it has.
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
   * The hub has accepted the next token: the one before is forgotten.
   * @returns whether there was a next one
   * @throws {Fault} `storage_full`, and both stay
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

  /** The copy, which is a token of its own until a hub has it. */
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

  /** `undefined` where there is no list, or none that can be read. */
  #read(): readonly HubToken[] | undefined {
    const text = this.#settings.read(HUB_TOKENS_SETTING);
    if (text === undefined) return undefined;
    try {
      const json = parseJson(new TextEncoder().encode(text), LIMITS);
      return Array.isArray(json) ? json.filter(isHubToken) : undefined;
    } catch {
      return undefined; // damaged: the copy is left
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
