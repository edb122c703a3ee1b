/** Replaces what works only over the cable. */
import { useSession } from "../../session/use-session.js";

export function CableNote({ what }: { readonly what: string }) {
  const isWaiting = useSession().state.value.phase === "waiting";
  if (isWaiting) return <p class="muted">Waiting for the console …</p>;
  return <p class="muted">{what} over the cable only, since its holder owns the console. Connect by USB.</p>;
}
