/** Whether the page came from a console, which is then the one that it is about. A hub and other servers are none. */
import { DeviceError } from "../../device-client/device-error.js";

/** A console answers in milliseconds; no panel is drawn before, so that nothing jumps. */
const PROBE_MS = 1500;

export type OwnOrigin =
  | { readonly kind: "none" }
  | { readonly kind: "console" }
  /** One that asks for its token, or for another. */
  | { readonly kind: "refused"; readonly error: DeviceError };

/**
 * Browsers show each answer that refuses as an error, whatever the page makes of it: a console that asks for a token which
 * this browser does not have yet gives one such, and there is no other way to learn it.
 *
 * @param token that is known of a console there
 */
export async function askOwnOrigin(token: string | undefined): Promise<OwnOrigin> {
  if (!location.protocol.startsWith("http")) return { kind: "none" };
  const init: RequestInit = { cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) };
  try {
    // Servers of many pages tag what they send, a console does not; and nobody should have to wonder about an answer of
    // 404 who opens the page of a hub.
    const page = await fetch(location.pathname, { ...init, method: "HEAD" });
    if (page.headers.has("etag")) return { kind: "none" };
    const headers: HeadersInit = token ? { authorization: `Bearer ${token}` } : {};
    return await readAnswer(await fetch("/api/status", { ...init, headers }));
  } catch {
    return { kind: "none" }; // nobody answers, or not in JSON
  }
}

async function readAnswer(answer: Response): Promise<OwnOrigin> {
  const { fw_version, error, message } = Object(await answer.json());
  if (typeof fw_version === "string") return { kind: "console" };
  if (answer.status !== 401 || error !== "unauthorized") return { kind: "none" };
  return { kind: "refused", error: new DeviceError("unauthorized", String(message), { status: 401 }) };
}
