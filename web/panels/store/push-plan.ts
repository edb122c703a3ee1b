/** Works out what an install through the hub would change on a console, for the confirmation. */
import type { AppRecord, CatalogVersion } from "../../../protocol/hub/answers/catalog.js";
import type { DeviceAppRecord, DeviceRecord } from "../../../protocol/hub/answers/devices.js";
import { planCapabilities, replacementNotes, type ShownPlan } from "../../install/install-plan.js";

export interface PushContext {
  /** All versions of the app on the hub. */
  readonly versions: AppRecord["versions"];
  readonly device: Pick<DeviceRecord, "name" | "online">;
  /** The hub's record of the app on that console. */
  readonly app: Pick<DeviceAppRecord, "state" | "version"> | undefined;
}

export function planPush(pushed: CatalogVersion, { versions, device, app }: PushContext): ShownPlan {
  const installed =
    app?.state === "installed" ? versions.find(({ version }) => version === app.version) : undefined;
  const waits = device.online ? [] : [`${device.name} is offline, and installs it when it connects.`];
  return {
    version: pushed.version,
    sizeBytes: pushed.size_bytes,
    quotaBytes: undefined,
    capabilities: planCapabilities(pushed.capabilities, installed),
    installed,
    notes: [...replacementNotes(pushed.version, installed), ...waits],
  };
}
