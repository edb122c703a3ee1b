/** The management API as the screens use it: a request, and either its answer in `json` or a sentence in `failure`. */
import { json } from "./json";
import { send } from "./request";
import { Text } from "./text";
import { BUSY, NO_ANSWER } from "./texts";

const OK = 200;
const CONFLICT = 409;
const UNAVAILABLE = 503;
const ERROR_BUSY = -16;

export const request = new Text(480);
/** Why the last request failed. */
export const failure = new Text(200);
let lastStatus: i32 = 0;

/** Sends `request`. @returns whether it succeeded; `json` then begins with the answer */
export function call(): bool {
  lastStatus = send(request);
  if (lastStatus === OK) {
    json.begin();
    return true;
  }
  failure.clear().put(lastStatus === ERROR_BUSY ? BUSY : NO_ANSWER);
  if (lastStatus > 0) readFailure();
  return false;
}

/** @param text such as `GET /api/status` */
export function ask(text: string): bool {
  request.clear().put(text);
  return call();
}

/** @param text ends where the value of a parameter begins */
export function askAbout(text: string, value: Text): bool {
  request.clear().put(text).putEncoded(value);
  return call();
}

/** Whether the last request failed for now: asked again, it may succeed. */
export function isBusy(): bool {
  return lastStatus === UNAVAILABLE || lastStatus === ERROR_BUSY;
}

/** Whether the last request does not fit the state of what it names. */
export function isConflict(): bool {
  return lastStatus === CONFLICT;
}

function readFailure(): void {
  json.begin();
  if (!json.enterObject()) return;
  while (json.nextMember()) if (json.isNamed("message")) json.readText(failure);
}
