/** Tells that an account has more consoles than the page lists. */
import type { HubDevices } from "../../hub/hub-client.js";

export function UnlistedConsoles({ devices: { devices, total } }: { devices: HubDevices }) {
  if (devices.length >= total) return null;
  return (
    <p class="small muted">
      These are {devices.length} of your {total} consoles. <code>svc hub devices</code> lists all of them, and{" "}
      <code>svc push</code> installs an app on any.
    </p>
  );
}
