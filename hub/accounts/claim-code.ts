/**
 * The code with which an account claims a console: shown on the console, typed by a user. Eight characters of
 * Crockford's base32, which has no letters that look like digits; 40 bits, so that ten guesses a minute find none.
 */
import { randomBytes } from "node:crypto";

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
