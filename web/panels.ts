/** The panels of the page, in the order of the navigation. To add a panel, add a line here. */
import type { ComponentType } from "preact";
import { laterPanel, loadLaterPanels } from "./frame/later-panel.js";
import { ConnectPanel } from "./panels/connect/connect-panel.js";
import { DevicePanel } from "./panels/device/device-panel.js";
import type { IconName } from "./parts/icon.js";

export interface PanelEntry {
  /** Of its address: `#apps`. */
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
  readonly component: ComponentType;
  /** Drawn only while a console is connected, or is expected back; the frame says so where there is none. */
  readonly needsConsole: boolean;
  /** Preloads what the panel needs, when the user is about to open it. */
  readonly prepare?: () => void;
}

export const PANELS: readonly PanelEntry[] = [
  { id: "connect", title: "Connect", icon: "connect", component: ConnectPanel, needsConsole: false },
  { id: "device", title: "Device", icon: "device", component: DevicePanel, needsConsole: true },
  later("apps", "Apps", "AppsPanel", true),
  later("store", "Store", "StorePanel", false),
  later("firmware", "Firmware", "FirmwarePanel", true),
  later("logs", "Logs", "LogsPanel", true),
  later("shell", "Shell", "ShellPanel", true),
  later("screen", "Screen", "ScreenPanel", true),
];

/** One of the script that is loaded once a panel of it is wanted. @param id of its icon, too */
function later(
  id: PanelEntry["id"] & IconName,
  title: string,
  name: Parameters<typeof laterPanel>[0],
  needsConsole: boolean,
): PanelEntry {
  const component = laterPanel(name, title, id);
  return { id, title, icon: id, component, needsConsole, prepare: loadLaterPanels };
}
