/** Requests to a hub's API. */
import { secureFetch } from "./secure-fetch.js";

export interface RequestOptions {
  /** Token of a device, an account or a publisher. */
  readonly token?: string | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as `multipart/form-data`. */
  readonly form?: FormData;
  /** Sent unchanged. */
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Certificates in PEM of the authority that signed the hub's certificate, if Node does not trust it by default. */
  readonly ca?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The parsed JSON body; `undefined` if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check the members that they expect
  readonly body: any;
}

/** @param path as of {@link request} */
export function addressOf(origin: string, path: string): string {
  return path.startsWith("//") ? `${origin}${path.slice(1)}` : `${origin}/api/v1${path}`;
}

/**
 * @param path below `/api/v1`, such as `/catalog?page=2`; a leading `//` makes it relative to the origin:
 *   `//health/live`
 */
export async function request(
  origin: string,
  method: string,
  path: string,
  { token, json, form, body, headers, ca }: RequestOptions = {},
): Promise<Answer> {
  const address = addressOf(origin, path);
  const content = json === undefined ? (form ?? body) : JSON.stringify(json);
  const init: RequestInit = {
    method,
    redirect: "manual",
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
  };
  const response = await (ca === undefined ? fetch(address, init) : secureFetch(address, init, ca));
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isJson = response.headers.get("content-type")?.startsWith("application/json") && bytes.length > 0;
  const parsed = isJson ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
  return { status: response.status, headers: response.headers, bytes, body: parsed };
}
