/** Requests with the token of an account, or of its members and programs. */
import type { Schema } from "../../protocol/schema.js";
import { SvcError } from "../svc-error.js";
import type { Output } from "../terminal/output.js";
import { hubAccess } from "./login.js";
import { type NOTHING, requestHub } from "./request.js";

/** Entries of one request, and of a list without `--limit`. */
const PER_PAGE = 100;

/** @throws {HubRefusal} `hub_unset`, `unauthorized`, or as `requestHub` */
export async function askAccount<Body>(
  answer: Schema<Body> | typeof NOTHING,
  method: string,
  path: string,
  json?: object,
): Promise<Body> {
  return requestHub(answer, { ...(await hubAccess(["account"])), method, path, ...(json && { json }) });
}

/**
 * An id in a path.
 * @throws {SvcError} `wrong_usage` for text that cannot be one: `..` would make it the path of something else
 */
export function pathId(id: string): string {
  if (/^[\w-]+$/.test(id)) return id;
  throw new SvcError("wrong_usage", `"${id}" is not an id`);
}

/** Options of commands that list the newest entries of a long list. */
export const NEWEST_OPTIONS = Object.freeze([
  { name: "limit", value: "NUMBER", summary: `number of entries; default: ${PER_PAGE}` },
  { name: "after", value: "NEXT", summary: "continue behind another list, with the `next` of its `--json`" },
]);

export interface NewestEntries<Entry> {
  readonly entries: readonly Entry[];
  /** For `--after`; `undefined` at the end of the list. */
  readonly next: string | undefined;
}

/**
 * The newest entries of a list, page by page.
 * @param list what a hub answers
 * @param member name of the list in the answer
 * @param values of {@link NEWEST_OPTIONS}
 */
export async function newestEntries<Member extends string, Entry>(
  list: Schema<{ readonly [Name in Member]: readonly Entry[] } & { readonly next?: string }>,
  path: string,
  member: Member,
  { limit: text, after }: Readonly<Record<string, string | undefined>>,
): Promise<NewestEntries<Entry>> {
  const limit = text === undefined ? PER_PAGE : numberFrom1("limit", text);
  const entries: Entry[] = [];
  let next = after;
  do {
    const query = new URLSearchParams({ per_page: `${Math.min(PER_PAGE, limit - entries.length)}` });
    if (next !== undefined) query.set("after", next);
    const page = await askAccount(list, "GET", `${path}?${query}`);
    entries.push(...page[member]);
    next = page.next;
  } while (next !== undefined && entries.length < limit);
  return { entries, next };
}

/** Tells users how to read on. */
export function noteNext(output: Output, next: string | undefined): void {
  if (next !== undefined) output.note(`There are older entries: add --after ${next}`);
}

/** @throws {SvcError} `wrong_usage` */
export function numberFrom1(option: string, text: string): number {
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new SvcError("wrong_usage", `--${option} takes a number from 1 to 999999, not "${text}"`);
}
