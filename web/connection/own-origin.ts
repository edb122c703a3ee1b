/** Detects whether the page comes from a console, so that it can connect to it, or from a hub or another server. */
import { DeviceError } from "../../device-client/device-error.js";
import { explainFailure } from "./http-failure.js";

/** Timeout for both answers together: a sleeping radio or a busy console answers slowly. */
export const OWN_ORIGIN_LIMIT_MS = 10_000;

export type OwnOrigin =
  | { readonly kind: "none" }
  | { readonly kind: "console" }
  /** A console that requires its token, or a different one. */
  | { readonly kind: "refused"; readonly error: DeviceError }
  /** The page's server does not answer; it may be a console. */
  | { readonly kind: "silent"; readonly error: DeviceError };

/**
 * Browsers log each error status in their developer tools. A console whose token this browser does not know causes one
 * such entry, which is unavoidable.
 *
 * @param page address of the page: `location.href`
 * @param token stored token of a console at this address
 */
export async function askOwnOrigin(page: URL, token: string | undefined): Promise<OwnOrigin> {
  if (!page.protocol.startsWith("http")) return { kind: "none" };
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), OWN_ORIGIN_LIMIT_MS);
  try {
    return await ask(page, token, { cache: "no-store", signal: controller.signal });
  } catch (cause) {
    const error = controller.signal.aborted ? timeout(page, cause) : unreachable(page, cause);
    return { kind: "silent", error };
  } finally {
    clearTimeout(timer);
  }
}

/** @throws the error of `fetch` if there is no answer */
async function ask(page: URL, token: string | undefined, init: RequestInit): Promise<OwnOrigin> {
  // Hosts of many pages send an ETag and a console does not. Probing first spares users of a hub's page a confusing
  // 404. That is why the requests run one after the other.
  const sent = await fetch(page.pathname, { ...init, method: "HEAD" });
  if (sent.headers.has("etag")) return { kind: "none" };
  const headers: HeadersInit = token ? { authorization: `Bearer ${token}` } : {};
  const answer = await fetch("/api/status", { ...init, headers });
  return readAnswer(answer.status, await answer.text());
}

function readAnswer(status: number, text: string): OwnOrigin {
  const { fw_version, error, message } = Object(jsonOf(text));
  if (typeof fw_version === "string") return { kind: "console" };
  if (status !== 401 || error !== "unauthorized") return { kind: "none" };
  return { kind: "refused", error: new DeviceError("unauthorized", String(message), { status: 401 }) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not a console's answer
  }
}

function timeout({ origin }: URL, cause: unknown): DeviceError {
  const seconds = OWN_ORIGIN_LIMIT_MS / 1000;
  return new DeviceError("device_timeout", `${origin} has not answered for ${seconds} s`, { cause });
}

function unreachable(page: URL, cause: unknown): DeviceError {
  return explainFailure({ page, target: page, permission: undefined, isAnswered: false }, cause);
}
