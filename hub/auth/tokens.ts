/** Tokens that the hub makes: a prefix that names the kind of owner, and 32 random bytes. Devices make their own. */
import { randomBytes } from "node:crypto";
import { isDeviceToken } from "../../protocol/hub/device-token.js";

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
