/**
 * Who may do what: the one table (docs/spec/management-api.md#who). Each endpoint and each shell command names the right
 * that it needs, so a command needs the right of the endpoint that does the same. What apps may do stands in the table
 * of the app ABI.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Request } from "../api/request.js";

/**
 * `anybody`: any client that gets through to the console; `owner`: who has the cable, the console in hand or the bearer
 * token; `page`: anybody, also in a build that asks for the token, since a browser that opens a page sends none.
 */
type Who = "anybody" | "owner" | "page";

interface Entry {
  readonly who: Who;
  readonly summary: string;
}

const TABLE = Object.freeze({
  page: { who: "page", summary: "load the web console" },
  read: {
    who: "anybody",
    summary:
      "read status, log, apps, the display and settings; not what apps store, what the home screen conceals, and secrets",
  },
  manage: {
    who: "anybody",
    summary:
      "install, start, stop and remove apps; send firmware and confirm it; restart; set a hub where none is set",
  },
  app_data: { who: "owner", summary: "read what apps store" },
  background: { who: "owner", summary: "let an app run in the background" },
  settings: { who: "owner", summary: "change the console's settings" },
  answer: { who: "owner", summary: "answer for the console's user" },
  change_hub: { who: "owner", summary: "change or forget the console's hub" },
  register_anew: { who: "owner", summary: "register anew while the hub is connected" },
  owner_keys: { who: "owner", summary: "add and remove the owner's keys for apps" },
  reset: { who: "owner", summary: "reset the console" },
  cable: { who: "owner", summary: "manage Wi-Fi and the bearer token; restart into the chip's loader" },
} satisfies Readonly<Record<string, Entry>>);

export type Right = keyof typeof TABLE;

/** For the reference documentation. */
export const RIGHTS: Readonly<Record<Right, Entry>> = TABLE;

/** Who asks. */
export type Asker = Pick<Request, "isOwner" | "refusal">;

/** @throws {Fault} `unauthorized` unless they have the right; `too_many_attempts` after too many wrong tokens */
export function requireRight(asker: Asker, right: Right): void {
  const { who, summary } = RIGHTS[right];
  if (who !== "owner" || asker.isOwner) return;
  throw (
    asker.refusal ??
    new Fault("unauthorized", `To ${summary}, use the cable or send the console's bearer token`)
  );
}
