/** Whether the console is at the other end of a cable, where alone some things can be read and changed. */
import type { Device } from "../../../device-client/device.js";
import type { Session } from "../../session/session.js";

export function deviceByCable(session: Session): Device | undefined {
  const device = session.device.value;
  return device?.transport.kind === "usb" ? device : undefined;
}
