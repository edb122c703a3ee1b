/** Guesses the page's hub before the user has chosen one. */
import type { Session } from "../session/session.js";

const PROBE_MS = 1500;

/** @returns the address of the hub that the page came from, or of the connected console's hub; `undefined` for neither */
export async function likelyHub(session: Session): Promise<string | undefined> {
  return (await ownOrigin(session)) ?? (await hubOfConsole(session));
}

async function ownOrigin(session: Session): Promise<string | undefined> {
  const { origin, protocol } = window.location;
  const isOwnConsole = session.device.peek()?.transport.address === origin;
  if (!protocol.startsWith("http") || isOwnConsole) return undefined;
  try {
    const answer = await fetch("/api/v1/health/live", { signal: AbortSignal.timeout(PROBE_MS) });
    const { status } = Object(await answer.json());
    return status === "live" ? origin : undefined;
  } catch {
    return undefined; // the page came from somewhere else
  }
}

async function hubOfConsole(session: Session): Promise<string | undefined> {
  try {
    return (await session.device.peek()?.hub())?.url || undefined;
  } catch {
    return undefined; // the console has gone meanwhile
  }
}
