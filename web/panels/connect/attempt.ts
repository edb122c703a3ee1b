/**
 * The transport of the last attempt to connect, so that its error is shown in that card; and the panel that opens on
 * success.
 */
import { signal } from "@preact/signals";
import { currentPanelId, showPanel } from "../../frame/route.js";
import type { Session } from "../../session/session.js";

export type Way = "cable" | "network";

/** Over changes of the panel. */
const lastWay = signal<Way>("network");

/** @param connect of the session, which does not reject */
export async function attempt(session: Session, way: Way, connect: () => Promise<void>): Promise<void> {
  lastWay.value = way;
  await connect();
  // Do not leave another panel: the user has opened it.
  if (session.state.value.phase === "ready" && currentPanelId.value === "connect") showPanel("device");
}

/** What went wrong with the last attempt, if it went this way. */
export function failureOf(session: Session, way: Way): Error | undefined {
  const state = session.state.value;
  return state.phase === "idle" && lastWay.value === way ? state.error : undefined;
}

export function isTrying(session: Session, way: Way): boolean {
  return session.state.value.phase === "connecting" && lastWay.value === way;
}
