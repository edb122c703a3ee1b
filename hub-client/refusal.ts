/** Converts a hub's error response to a `Fault`. */
import { FAULT_STATUS, Fault, type FaultCode } from "../protocol/fault.js";
import type { Fields } from "../protocol/http/fields.js";
import { JsonReader } from "../protocol/json.js";
import type { Json } from "../protocol/json-value.js";
import { MESSAGE_LIMIT_CHARACTERS, RETRY_AFTER_LIMIT_S } from "./limits.js";

export interface Refusal {
  readonly status: number;
  readonly fields: Fields;
  /** As it came; what is no error body of ours is a proxy's, and says nothing to us. */
  readonly body: Uint8Array;
}

/** Members of an error body, for readers that must know them beforehand. */
export const REFUSAL_MEMBERS = Object.freeze(["error", "message"]);

const DEPTH_LIMIT = 4;
const VALUES_LIMIT = 64;
const DIGITS = /^[0-9]{1,9}$/;
const UNAUTHORIZED = 401;

/**
 * A list, and not the table itself, since XS keeps each name that it has ever looked for in an object: a hub that answers
 * with another code each time would fill its heap.
 */
const CODES: readonly string[] = Object.freeze(Object.keys(FAULT_STATUS));

/** The hub's own code where our table has it, else `unauthorized` for 401 and `hub_refused` for the rest. */
export function refusalFault({ status, fields, body }: Refusal): Fault {
  const said = readErrorBody(body);
  const waitS = retryAfterS(fields);
  const options = waitS === undefined ? undefined : { details: { retry_after_s: waitS } };
  const message = said?.message ?? `The hub answers with status ${status}`;
  if (said) return new Fault(said.code, message, options);
  return new Fault(status === UNAUTHORIZED ? "unauthorized" : "hub_refused", message, options);
}

/** Seconds (RFC 9110 §10.2.3), within reason; a date is of no use to who has no clock. */
export function retryAfterS(fields: Fields): number | undefined {
  const text = fields.list("retry-after");
  return text !== undefined && DIGITS.test(text) ? Math.min(Number(text), RETRY_AFTER_LIMIT_S) : undefined;
}

/** How long a fault of a hub wants us to wait, in milliseconds; 0 where it says nothing of that. */
export function waitOf(fault: Fault): number {
  const waitS = fault.details?.["retry_after_s"];
  return typeof waitS === "number" ? waitS * 1000 : 0;
}

function readErrorBody(
  body: Uint8Array,
): { readonly code: FaultCode; readonly message: string | undefined } | undefined {
  const json = readJson(body);
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const { error, message } = json as { readonly error?: Json; readonly message?: Json };
  if (typeof error !== "string" || !CODES.includes(error)) return undefined;
  const text = typeof message === "string" ? message.slice(0, MESSAGE_LIMIT_CHARACTERS) : undefined;
  return { code: error as FaultCode, message: text };
}

function readJson(body: Uint8Array): Json | undefined {
  try {
    return new JsonReader({ depth: DEPTH_LIMIT, values: VALUES_LIMIT, names: REFUSAL_MEMBERS }).read(body);
  } catch {
    return undefined; // a page of a proxy, for people to read
  }
}
