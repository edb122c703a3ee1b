/** Request targets (RFC 9112 §3.2), resolved to origin form. */
import { load8, store32 } from "../memory.js";
import { ASTERISK, AT_SIGN, COLON, NUMBER_SIGN, QUESTION_MARK, SLASH, toLowerCase } from "./characters.js";
import {
  BAD_AUTHORITY,
  BAD_TARGET,
  CONNECT,
  FRAGMENT,
  OPTIONS,
  RESULT_HOST,
  RESULT_TARGET,
  TUNNEL,
} from "./layout.js";

/** Length of `http://`. */
const SCHEME_LENGTH: i32 = 7;

/** Whether the target that was resolved last needs a slash before it. */
export let lacksSlash: boolean = false;

/**
 * Put the target into the results, and the host of an absolute one in place of that of the field Host (RFC 9112 §3.2.2).
 * @returns 0 or a fault
 */
export function resolveTarget(method: i32, start: i32, end: i32): i32 {
  lacksSlash = false;
  for (let at = start; at < end; at++) if (load8(at) === NUMBER_SIGN) return FRAGMENT;
  if (method === CONNECT) return TUNNEL;
  const isAsterisk = load8(start) === ASTERISK && end - start === 1 && method === OPTIONS;
  if (load8(start) === SLASH || isAsterisk) {
    store32(RESULT_TARGET, start | (end << 16));
    return 0;
  }
  return hasScheme(start, end) ? resolveAbsolute(start + SCHEME_LENGTH, end) : BAD_TARGET;
}

function hasScheme(start: i32, end: i32): boolean {
  return (
    end - start >= SCHEME_LENGTH &&
    (load8(start) | 0x20) === 0x68 && // h
    (load8(start + 1) | 0x20) === 0x74 && // t
    (load8(start + 2) | 0x20) === 0x74 && // t
    (load8(start + 3) | 0x20) === 0x70 && // p
    load8(start + 4) === COLON &&
    load8(start + 5) === SLASH &&
    load8(start + 6) === SLASH
  );
}

function resolveAbsolute(start: i32, end: i32): i32 {
  let at = start;
  while (at < end && load8(at) !== SLASH && load8(at) !== QUESTION_MARK) {
    if (load8(at) === AT_SIGN) return BAD_AUTHORITY;
    toLowerCase(at);
    at++;
  }
  if (at === start) return BAD_AUTHORITY;
  lacksSlash = at === end || load8(at) !== SLASH;
  store32(RESULT_TARGET, at | (end << 16));
  store32(RESULT_HOST, start | (at << 16));
  return 0;
}
