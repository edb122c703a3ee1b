/**
 * Runs an attempt to connect, and opens the Device panel on success. Remembers whether the attempt used the cable or
 * the network, so that the right card shows its error.
 */
import { signal } from "@preact/signals";
import { currentPanelId, showPanel } from "../../frame/route.js";
import type { Session } from "../../session/session.js";

export type Way = "cable" | "network";

/** Kept while other panels are shown. */
const lastWay = signal<Way>("network");

/** @param connect a connect method of the session, which does not reject */
export async function attempt(session: Session, way: Way, connect: () => Promise<void>): Promise<void> {
  lastWay.value = way;
  await connect();
  // Stay on a panel that the user has opened in the meantime.
  if (session.state.value.phase === "ready" && currentPanelId.value === "connect") showPanel("device");
}

/** The error of the last attempt, if it used this way. */
export function failureOf(session: Session, way: Way): Error | undefined {
  const state = session.state.value;
  return state.phase === "idle" && lastWay.value === way ? state.error : undefined;
}

export function isTrying(session: Session, way: Way): boolean {
  return session.state.value.phase === "connecting" && lastWay.value === way;
}
