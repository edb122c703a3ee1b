/** For functions that work only over the cable: the note to show without a cable, and the console on the cable. */
import type { Device } from "../../../device-client/device.js";
import { type Session, useSession } from "../../session/session.js";

export function CableNote({ what }: { readonly what: string }) {
  const isWaiting = useSession().state.value.phase === "waiting";
  if (isWaiting) return <p class="muted">Waiting for the console …</p>;
  return <p class="muted">{what} over the cable only, since its holder owns the console. Connect by USB.</p>;
}

export function deviceByCable(session: Session): Device | undefined {
  const device = session.device.value;
  return device?.transport.kind === "usb" ? device : undefined;
}
