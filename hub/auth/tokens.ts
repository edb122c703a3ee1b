/** Tokens of accounts and publishers: a prefix for the kind of owner, and 32 random bytes. Devices create their own. */
import { createHmac, randomBytes } from "node:crypto";
import { isDeviceToken } from "../../protocol/hub/device-token.js";

/** Hashes tokens: the hub never stores a token itself (docs/spec/hub-api.md#token-hash). */
export class TokenHasher {
  readonly #secret: string;

  /** @param secret `SVC_HUB_SECRET`: changing it invalidates every token */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** HMAC-SHA256 in hexadecimal. The database looks up hashes, so that no comparison needs constant time. */
  hash(token: string): string {
    return createHmac("sha256", this.#secret).update(token).digest("hex");
  }
}

const TOKEN_BYTES = 32;
const ACCOUNT_TOKEN = /^svca_[A-Za-z0-9_-]{43}$/;
const TEAM_TOKEN = /^svct_[A-Za-z0-9_-]{43}$/;
const SESSION_TOKEN = /^svcs_[A-Za-z0-9_-]{43}$/;
const PUBLISHER_TOKEN = /^svcp_[A-Za-z0-9_-]{43}$/;

export function makeAccountToken(): string {
  return `svca_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
}

/** For a member or a program of an account. */
export function makeTeamToken(): string {
  return `svct_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
}

/** For a member who has signed in. */
export function makeSessionToken(): string {
  return `svcs_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
}

export function makePublisherToken(): string {
  return `svcp_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
}

export function isAccountToken(text: string): boolean {
  return ACCOUNT_TOKEN.test(text);
}

export function isTeamToken(text: string): boolean {
  return TEAM_TOKEN.test(text);
}

export function isSessionToken(text: string): boolean {
  return SESSION_TOKEN.test(text);
}

export function isPublisherToken(text: string): boolean {
  return PUBLISHER_TOKEN.test(text);
}

/** Converts a device's token to lower case, as it is stored. @returns `undefined` unless it is a device token */
export function readDeviceToken(text: string): string | undefined {
  const token = text.toLowerCase();
  return isDeviceToken(token) ? token : undefined;
}

// Claim codes: a console shows its code, and a user types it. Eight characters of Crockford's base32, which has no
// letters that look like digits: 40 bits, too many for ten guesses a minute.

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 8;
const CODE = /^[0-9A-HJKMNP-TV-Z]{8}$/;

/** Creates a random code `XXXX-XXXX` (docs/spec/hub-api.md#claim). */
export function makeClaimCode(): string {
  // 256 is a multiple of 32, so that every character is as likely as any other.
  return grouped(Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join(""));
}

/**
 * Normalizes a claim code that a user typed: any case, with or without the dash, and with the letters that Crockford
 * reads as digits.
 * @returns `undefined` unless it has the format of a code
 */
export function parseClaimCode(typed: string): string | undefined {
  const code = typed.replaceAll(/[\s-]/g, "").toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return CODE.test(code) ? grouped(code) : undefined;
}

function grouped(code: string): string {
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}
