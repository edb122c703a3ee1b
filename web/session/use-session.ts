/** The one session of the page, for components. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "./session.js";

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("Cannot use a session outside of SessionContext");
  return session;
}
