/** Tokens that the hub makes: a prefix that names the kind of owner, and 32 random bytes. Devices make their own. */
import { createHmac, randomBytes } from "node:crypto";
import { isDeviceToken } from "../../protocol/hub/device-token.js";

// Hashes tokens: the hub never stores a token itself (docs/spec/hub-api.md#token-hash).

export class TokenHasher {
  readonly #secret: string;

  /** @param secret `SVC_HUB_SECRET`: changing it invalidates every token */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** HMAC-SHA256 in hexadecimal. Equal hashes are found by the database: there is nothing to compare in constant time. */
  hash(token: string): string {
    return createHmac("sha256", this.#secret).update(token).digest("hex");
  }
}

const TOKEN_BYTES = 32;
const ACCOUNT_TOKEN = /^svca_[A-Za-z0-9_-]{43}$/;
const PUBLISHER_TOKEN = /^svcp_[A-Za-z0-9_-]{43}$/;

export function makeAccountToken(): string {
  return `svca_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
}

export function makePublisherToken(): string {
  return `svcp_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
}

export function isAccountToken(text: string): boolean {
  return ACCOUNT_TOKEN.test(text);
}

export function isPublisherToken(text: string): boolean {
  return PUBLISHER_TOKEN.test(text);
}

/** A device's token as it is kept, in lower case; `undefined` for what is none in either case. */
export function readDeviceToken(text: string): string | undefined {
  const token = text.toLowerCase();
  return isDeviceToken(token) ? token : undefined;
}

// The code with which an account claims a console: shown on the console, typed by a user. Eight characters of
// Crockford's base32, which has no letters that look like digits; 40 bits, so that ten guesses a minute find none.

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 8;
const CODE = /^[0-9A-HJKMNP-TV-Z]{8}$/;

/** `XXXX-XXXX`, at random (docs/spec/hub-api.md#claim). */
export function makeClaimCode(): string {
  // 256 is a multiple of 32, so that every character is as likely as any other.
  return grouped(Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join(""));
}

/**
 * Normalizes a claim code that a user typed: any case, with or without the dash, and with the letters that Crockford
 * reads as digits.
 * @returns `undefined` for what cannot be a code
 */
export function parseClaimCode(typed: string): string | undefined {
  const code = typed.replaceAll(/[\s-]/g, "").toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return CODE.test(code) ? grouped(code) : undefined;
}

function grouped(code: string): string {
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}
