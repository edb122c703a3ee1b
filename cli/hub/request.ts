/**
 * Requests to a hub, and the errors of a hub or of its connection. They use the codes of the table of errors, with
 * their own advice.
 */
import { matches, type Schema } from "../../protocol/schema.js";
import { fetchThrough, proxyFor } from "./proxy.js";

/** Covers an upload over a slow line, which takes minutes. */
const TIMEOUT_MS = 300_000;

const NO_CONTENT = 204;

/** Of an answer in JSON. Most are a page of a list, with some kilobytes of each entry. */
const JSON_LIMIT_BYTES = 16 * 1024 * 1024;

/** Entries per page, for callers that read all pages. */
const PER_PAGE = 100;

type PagedAnswer<Member extends string, Entry> = { readonly [Name in Member]: readonly Entry[] } & {
  readonly total: number;
  readonly next?: string;
};

interface Request {
  /** URL of the hub, without `/api/v1`. */
  readonly url: string;
  readonly token?: string;
  readonly method: string;
  /** Below `/api/v1`. */
  readonly path: string;
  readonly json?: unknown;
  readonly form?: FormData;
}

/** An answer that has no body (204). */
export const NOTHING = Symbol("nothing");

/**
 * @param answer what a hub answers: another server, such as the sign-in of a network, answers any request with a success
 * @returns the body of the answer
 * @throws {HubRefusal} with the hub's own code; `hub_unreachable`, `hub_refused`
 */
export async function requestHub<Body>(
  answer: Schema<Body> | typeof NOTHING,
  request: Request,
): Promise<Body> {
  const response = await send(request);
  if (answer === NOTHING && response.status === NO_CONTENT) return undefined as Body;
  const body = await bodyOf(response);
  if (response.ok && answer !== NOTHING && matches(answer, body)) return body;
  throw refusalOf(request, response, body);
}

/**
 * @returns the file that is the answer
 * @throws {HubRefusal} as {@link requestHub}; `hub_refused` for a file of more than `limitBytes`
 */
export async function requestHubFile(request: Request, limitBytes: number): Promise<Uint8Array> {
  const response = await send(request);
  if (!response.ok) throw refusalOf(request, response, await bodyOf(response));
  try {
    const bytes = await readUpTo(limitBytes, response);
    if (bytes) return bytes;
  } catch (error) {
    throw unreachable(request, error);
  }
  throw new HubRefusal("hub_refused", `${request.url} answered with more than ${limitBytes} bytes`);
}

/** The body; `undefined` if it is longer. A hub may answer without end. */
async function readUpTo(limitBytes: number, { body }: Response): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let byteLength = 0;
  for await (const chunk of body ?? []) {
    byteLength += chunk.length;
    if (byteLength > limitBytes) return undefined; // leaving the loop ends the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refusalOf(
  { url }: Request,
  { ok, status }: Response,
  body: Record<string, unknown> | undefined,
): HubRefusal {
  if (!ok && typeof body?.["error"] === "string")
    return new HubRefusal(body["error"], String(body["message"]));
  return new HubRefusal("hub_refused", `${url} answered with status ${status} but not like a hub`);
}

/**
 * Reads all pages of a list.
 * @param list what a hub answers
 * @param member name of the list in the answer
 */
export async function requestAll<Member extends string, Entry>(
  list: Schema<PagedAnswer<Member, Entry>>,
  {
    path,
    query = {},
    ...access
  }: Pick<Request, "url" | "token"> & { path: string; query?: Record<string, string | undefined> },
  member: Member,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let next: string | undefined;
  for (let page = 1; ; page++) {
    const position = next === undefined ? { page: String(page) } : { after: next };
    const search = new URLSearchParams({ ...position, per_page: String(PER_PAGE) });
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
    const answer = await requestHub(list, { ...access, method: "GET", path: `${path}?${search}` });
    const found = answer[member];
    entries.push(...found);
    const hadNext = next !== undefined;
    next = answer.next; // not every list has it
    if (next === undefined && (hadNext || found.length < PER_PAGE || entries.length >= answer.total))
      return entries;
  }
}

async function send(request: Request): Promise<Response> {
  const { url, token, method, path, json, form } = request;
  try {
    const proxy = proxyFor(new URL(url));
    const target = `${url}/api/v1${path}`;
    const init: RequestInit = {
      method,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { "content-type": "application/json" }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(form !== undefined && { body: form }),
    };
    return await (proxy ? fetchThrough(proxy, target, init) : fetch(target, init));
  } catch (cause) {
    throw unreachable(request, cause);
  }
}

function unreachable({ url }: Request, cause: unknown): HubRefusal {
  const { message, cause: inner } = cause as Error;
  const reason = inner instanceof Error && inner.message ? inner.message : message;
  return new HubRefusal("hub_unreachable", `Cannot reach ${url}: ${reason}`, { cause });
}

/** `undefined` for anything but a JSON object of at most {@link JSON_LIMIT_BYTES}. */
async function bodyOf(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    const bytes = await readUpTo(JSON_LIMIT_BYTES, response);
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // the caller reports it, with the status
  }
}

/** An error of a hub, or of a call that reached no hub: uses the codes of the table of errors, with its own advice. */
export class HubRefusal extends Error {
  override readonly name = "HubRefusal";
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
