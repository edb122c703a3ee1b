/** What an install by the hub would do to a console, shown for confirmation. */
import type { CatalogDetail, CatalogVersion, HubDevice, HubDeviceApp } from "../../hub/hub-answers.js";
import { planCapabilities, replacementNotes, type ShownPlan } from "../../install/install-plan.js";

export interface PushContext {
  /** All that the hub has of the app. */
  readonly versions: CatalogDetail["versions"];
  readonly device: Pick<HubDevice, "name" | "online">;
  /** What the hub knows of it on that console. */
  readonly app: Pick<HubDeviceApp, "state" | "version"> | undefined;
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
