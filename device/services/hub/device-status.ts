/** The console's report about itself to its hub (`device.status` of docs/spec/hub-push.md#device-status). */
import type { DeviceStatus } from "../../../protocol/device/answers.js";
import type { DeviceStatus as HubDeviceStatus } from "../../../protocol/hub/push-messages.js";
import type { Apps } from "../apps/apps.js";

export function deviceStatus(
  { fw_version, free_heap_bytes, wifi_rssi }: DeviceStatus,
  apps: Pick<Apps, "names" | "isRunning">,
): Omit<HubDeviceStatus, "type"> {
  return {
    firmware_version: fw_version,
    free_heap_bytes,
    running_apps: apps.names.filter((name) => apps.isRunning(name)),
    wifi_rssi,
  };
}
