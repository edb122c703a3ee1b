/** Requests to a hub. */
import { HubRefusal } from "./hub-refusal.js";

/** An upload over a slow line takes minutes; one that takes longer will not end. */
const TIMEOUT_MS = 300_000;

/** Entries per page, for callers that read all pages. */
const PER_PAGE = 100;

/**
 * @typedef {object} Request
 * @property {string} url the hub's, without `/api/v1`
 * @property {string} [token]
 * @property {string} method
 * @property {string} path below `/api/v1`
 * @property {unknown} [json]
 * @property {FormData} [form]
 */

/**
 * @template Body
 * @param {Request} request
 * @returns {Promise<Body>} of the answer
 * @throws {HubRefusal} with the hub's own code; `hub_unreachable`, `hub_refused`
 */
export async function requestHub(request) {
  const response = await send(request);
  const body = await bodyOf(response);
  if (response.ok && body) return /** @type {Body} */ (body);
  if (typeof body?.["error"] === "string") throw new HubRefusal(body["error"], String(body["message"]));
  throw new HubRefusal(
    "hub_refused",
    `${request.url} answered with status ${response.status}, not as a hub does`,
  );
}

/**
 * All entries of a list that comes in pages.
 *
 * @template Entry
 * @param {Pick<Request, "url" | "token"> & { path: string, query?: Record<string, string | undefined> }} request
 * @param {string} member the list's name in the answer
 * @returns {Promise<Entry[]>}
 */
export async function requestAll({ path, query = {}, ...access }, member) {
  /** @type {Entry[]} */
  const entries = [];
  for (let page = 1; ; page++) {
    const search = new URLSearchParams({ page: String(page), per_page: String(PER_PAGE) });
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
    /** @type {{ readonly total: number } & Record<string, Entry[]>} */
    const answer = await requestHub({ ...access, method: "GET", path: `${path}?${search}` });
    const found = answer[member] ?? [];
    entries.push(...found);
    if (found.length < PER_PAGE || entries.length >= answer.total) return entries;
  }
}

/** @param {Request} request */
async function send({ url, token, method, path, json, form }) {
  try {
    return await fetch(`${url}/api/v1${path}`, {
      method,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { "content-type": "application/json" }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(form !== undefined && { body: form }),
    });
  } catch (cause) {
    const { message, cause: inner } = /** @type {Error} */ (cause);
    const reason = inner instanceof Error && inner.message ? inner.message : message;
    throw new HubRefusal("hub_unreachable", `Cannot reach ${url}: ${reason}`, { cause });
  }
}

/**
 * `undefined` for anything but a JSON object.
 *
 * @param {Response} response
 * @returns {Promise<Record<string, unknown> | undefined>}
 */
async function bodyOf(response) {
  try {
    const body = await response.json();
    return typeof body === "object" && body !== null
      ? /** @type {Record<string, unknown>} */ (body)
      : undefined;
  } catch {
    return undefined; // which the caller tells, with the status
  }
}
