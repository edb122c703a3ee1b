/**
 * Runs an attempt to connect, and on success opens what a console was wanted for, else the Device panel. Remembers whether the attempt used the cable or
 * the network, so that the right card shows its error.
 */
import { signal } from "@preact/signals";
import { currentPanelId, leaveConnect } from "../../frame/route.js";
import type { Session } from "../../session/session.js";

export type ConnectionKind = "cable" | "network";

/** Kept while other panels are shown. */
const lastKind = signal<ConnectionKind>("network");

/** @param connect a connect method of the session, which does not reject */
export async function attempt(
  session: Session,
  kind: ConnectionKind,
  connect: () => Promise<void>,
): Promise<void> {
  lastKind.value = kind;
  await connect();
  // Stay on a panel that the user has opened in the meantime.
  if (session.state.value.phase === "ready" && currentPanelId.value === "connect") leaveConnect();
}

/** The error of the last attempt, if it used this kind. */
export function failureOf(session: Session, kind: ConnectionKind): Error | undefined {
  const state = session.state.value;
  return state.phase === "idle" && lastKind.value === kind ? state.error : undefined;
}

export function isTrying(session: Session, kind: ConnectionKind): boolean {
  return session.state.value.phase === "connecting" && lastKind.value === kind;
}
