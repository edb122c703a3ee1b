/**
 * The bearer token of HTTP and WebSocket (docs/spec/management-api.md#token): 32 random bytes in base64url,
 * created at the first boot and stored. A user with the USB cable can read and replace it.
 */
import type { Base64, Random } from "../../../protocol/ports/runtime.js";
import type { JsonAnswer } from "../api/request.js";
import type { Config } from "../config/options.js";
import { type Settings, TOKEN_SETTING } from "../settings/settings.js";

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

interface AccessTokenOptions {
  readonly settings: Settings;
  readonly random: Random;
  readonly base64: Base64;
}

export class AccessToken {
  readonly #options: AccessTokenOptions;
  #value: string;

  /** Reads the token, or creates the first one. */
  constructor(options: AccessTokenOptions) {
    this.#options = options;
    this.#value = options.settings.readValid(TOKEN_SETTING, (kept) => TOKEN.test(kept)) ?? this.replace();
  }

  get value(): string {
    return this.#value;
  }

  /** Creates a new token; the old one is invalid when this returns. */
  replace(): string {
    const { base64, random, settings } = this.#options;
    const bytes = new Uint8Array(TOKEN_BYTES);
    random.getRandomValues(bytes);
    const token = base64.encode(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    settings.write(TOKEN_SETTING, token);
    this.#value = token;
    return token;
  }
}

// `GET` and `POST /api/auth/token`.

/** What was opened with the old token ends. @throws {Fault} `storage_full`, and the old one stays */
export function replaceToken({ accessToken, config, servers }: RequiredServices): JsonAnswer {
  const token = accessToken.replace();
  servers.webSocket.tokenReplaced();
  return tokenAnswer(token, config);
}

interface RequiredServices {
  readonly accessToken: AccessToken;
  readonly config: Config;
  readonly servers: { readonly webSocket: { tokenReplaced(): void } };
}

export function tokenAnswer(token: string, config: Config): JsonAnswer {
  return { status: 200, body: { token, required: config.CONFIG_SVC_HTTP_AUTH } };
}
