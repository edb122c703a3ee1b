/** The time after which an order expires, as requests state it (docs/spec/hub-api.md#command-expiry). */
import Type from "typebox";
import { DAYS_LIMIT } from "../config/read-config.js";

const DAY_S = 24 * 3600;

export const EXPIRES_IN_S = Type.Optional(
  Type.Integer({
    minimum: 60,
    maximum: DAYS_LIMIT * DAY_S,
    description: "Time after which it expires; by default, what the operator has set (90 days).",
  }),
);

/** @returns milliseconds since 1970; `undefined` for the default */
export function expiryOf(expiresInS: number | undefined, now: number): number | undefined {
  return expiresInS === undefined ? undefined : now + expiresInS * 1000;
}
