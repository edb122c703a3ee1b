/** Client for the hub's REST API. An error response becomes a `HubError` with the hub's code and message. */

import {
  APP_RECORD,
  type AppRecord,
  CATALOG_LIST,
  type CatalogList,
} from "../../protocol/hub/answers/catalog.js";
import {
  DEVICE_APPS,
  DEVICE_LIST,
  DEVICE_RECORD,
  type DeviceAppRecord,
  type DeviceRecord,
  QUEUED,
} from "../../protocol/hub/answers/devices.js";
import { LIVENESS, type Liveness, NEW_ACCOUNT, type NewAccount } from "../../protocol/hub/answers/team.js";
import { parseHubAddress } from "../../protocol/hub/hub-address.js";
import { matches, type Schema, type Shaped } from "../../protocol/schema.js";
import { HubError } from "./hub-error.js";

/** Sort order of the catalogue; `-` means descending. */
export type CatalogSort = "name" | "-published_at" | "-downloads";

export interface CatalogQuery {
  readonly search: string;
  readonly sort: CatalogSort;
  readonly page: number;
}

/** A package as the hub serves it. */
interface DownloadedPackage {
  readonly bytes: Uint8Array;
  /** 128 hexadecimal digits; `undefined` if the hub sends none. */
  readonly signature: string | undefined;
}

export type HubDevices = Pick<Shaped<typeof DEVICE_LIST>, "total" | "devices">;

type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

interface HubClientOptions {
  /** As {@link parseHubAddress} takes it. */
  readonly address: string;
  readonly token?: string | undefined;
  readonly fetch: FetchFunction;
}

export interface DownloadOptions {
  readonly version: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (receivedBytes: number) => void;
}

const NO_CONTENT = 204;
const ANSWER_TIMEOUT_MS = 15_000;
/** For a whole file: 8 MiB at 32 KiB/s. */
const FILE_TIMEOUT_MS = 256_000;
export const PER_PAGE = 20;
/** The hub's limit. */
const MOST_PER_PAGE = 100;
/** Consoles that the page reads of an account, ten requests: it lists them all, without search. */
const DEVICES_LIMIT = 1000;

export class HubClient {
  readonly address: string;
  /** Without an account the client reads catalogues that are public. */
  readonly isSignedIn: boolean;
  readonly #api: string;
  readonly #token: string | undefined;
  readonly #fetch: FetchFunction;

  /** @throws {Fault} `bad_parameter` for an invalid address */
  constructor({ address, token, fetch }: HubClientOptions) {
    const { origin, apiPath, basePath } = parseHubAddress(address);
    this.address = origin + basePath;
    this.#api = origin + apiPath;
    this.#token = token;
    this.isSignedIn = token !== undefined;
    this.#fetch = fetch;
  }

  /**
   * Checks that a hub answers at the address.
   * @returns what it offers without a token
   * @throws {HubError} `not_a_hub`, `hub_unreachable`, `hub_timeout`
   */
  identify(): Promise<Liveness> {
    return this.ask(LIVENESS, "GET", "/health/live");
  }

  catalog({ search, sort, page }: CatalogQuery): Promise<CatalogList> {
    const query = { page: String(page), per_page: String(PER_PAGE), sort, ...(search && { q: search }) };
    return this.ask(CATALOG_LIST, "GET", `/catalog?${new URLSearchParams(query)}`);
  }

  entry(id: string): Promise<AppRecord> {
    return this.ask(APP_RECORD, "GET", `/catalog/${encodeURIComponent(id)}`);
  }

  /** @returns a BMP of 32 by 32 pixels */
  async icon(id: string): Promise<Uint8Array> {
    const response = await this.#send("GET", `/catalog/${encodeURIComponent(id)}/icon`, ANSWER_TIMEOUT_MS);
    return readBody(response);
  }

  async download(id: string, { version, signal, onProgress }: DownloadOptions): Promise<DownloadedPackage> {
    const path = `/catalog/${encodeURIComponent(id)}/download?${new URLSearchParams({ version })}`;
    const response = await this.#send("GET", path, FILE_TIMEOUT_MS, { ...(signal && { signal }) });
    try {
      const bytes = await readBody(response, onProgress);
      return { bytes, signature: response.headers.get("x-svc-signature") ?? undefined };
    } catch (cause) {
      throw failure(this.address, cause);
    }
  }

  createAccount(): Promise<NewAccount> {
    return this.ask(NEW_ACCOUNT, "POST", "/accounts");
  }

  /** Ends the session that the token is of. */
  async endSession(): Promise<void> {
    await this.remove("/account/session", { keepalive: true });
  }

  /** Adds a console to the account. */
  claim(claimCode: string): Promise<DeviceRecord> {
    return this.ask(DEVICE_RECORD, "POST", "/account/devices", { claim_code: claimCode });
  }

  /** The account's consoles, at most {@link DEVICES_LIMIT}, and how many it has in total. */
  async devices(): Promise<HubDevices> {
    const devices = new Map<string, DeviceRecord>(); // a console that is released meanwhile moves others to earlier pages
    for (let page = 1; ; page++) {
      const path = `/account/devices?per_page=${MOST_PER_PAGE}&page=${page}`;
      const found = await this.ask(DEVICE_LIST, "GET", path);
      for (const device of found.devices) devices.set(device.device_id, device);
      if (page * MOST_PER_PAGE >= Math.min(found.total, DEVICES_LIMIT))
        return { total: found.total, devices: [...devices.values()] };
    }
  }

  /** Removes a console from the account; the hub then issues a new claim code for it. */
  async release(deviceId: string): Promise<void> {
    await this.remove(`/account/devices/${encodeURIComponent(deviceId)}`);
  }

  async deviceApps(deviceId: string): Promise<readonly DeviceAppRecord[]> {
    const path = `/devices/${encodeURIComponent(deviceId)}/apps`;
    return (await this.ask(DEVICE_APPS, "GET", path)).apps;
  }

  /** Queues a command for a console to download and install an app. */
  async push(deviceId: string, appId: string, version: string): Promise<void> {
    const path = `/devices/${encodeURIComponent(deviceId)}/apps/${encodeURIComponent(appId)}/install`;
    await this.ask(QUEUED, "POST", path, { version });
  }

  /** Sends a DELETE, which the hub answers without a body. @param path below `/api/v1` */
  async remove(path: string, init: RequestInit = {}): Promise<void> {
    const { status } = await this.#send("DELETE", path, ANSWER_TIMEOUT_MS, init);
    if (status !== NO_CONTENT) throw notAHub(this.address);
  }

  /**
   * Sends a request of any endpoint.
   * @param answer its schema
   * @param path below `/api/v1`
   * @throws {HubError} the hub's error, or `not_a_hub` for a response without the expected members
   */
  async ask<Body>(answer: Schema<Body>, method: string, path: string, json?: unknown): Promise<Body> {
    const response = await this.#send(method, path, ANSWER_TIMEOUT_MS, {
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const body = await jsonOf(response);
    if (matches(answer, body)) return body;
    throw notAHub(this.address);
  }

  /** @returns a response with a 2xx status */
  async #send(method: string, path: string, timeoutMs: number, init: RequestInit = {}): Promise<Response> {
    const response = await this.#fetchWithin(timeoutMs, this.#api + path, {
      ...init,
      method,
      credentials: "omit",
      headers: {
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
        ...(init.body !== undefined && { "content-type": "application/json" }),
      },
    });
    if (response.ok) return response;
    const { error, message } = Object(await jsonOf(response));
    if (typeof error !== "string" || typeof message !== "string") throw notAHub(this.address);
    throw new HubError(error, message, { status: response.status });
  }

  async #fetchWithin(timeoutMs: number, url: string, init: RequestInit): Promise<Response> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    try {
      return await this.#fetch(url, { ...init, signal });
    } catch (cause) {
      throw failure(this.address, cause);
    }
  }
}

/** @returns `undefined` for a body that is not JSON */
async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined; // the caller reports `not_a_hub`
  }
}

/** An error of `fetch` reveals only whether the request was aborted, not why it failed. */
function failure(address: string, cause: unknown): HubError {
  const { name } = Object(cause);
  if (name === "AbortError") return new HubError("cancelled", "The download was cancelled", { cause });
  if (name === "TimeoutError")
    return new HubError("hub_timeout", `The hub at ${address} does not answer`, { cause });
  return new HubError("hub_unreachable", `Cannot reach a hub at ${address}`, { cause });
}

function notAHub(address: string): HubError {
  return new HubError("not_a_hub", `The server at ${address} is not a hub`);
}

async function readBody(
  response: Response,
  onProgress: (receivedBytes: number) => void = () => {},
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let receivedBytes = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    chunks.push(part.value);
    receivedBytes += part.value.length;
    onProgress(receivedBytes);
  }
  return joined(chunks, receivedBytes);
}

function joined(chunks: readonly Uint8Array[], byteLength: number): Uint8Array {
  const bytes = new Uint8Array(byteLength);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
