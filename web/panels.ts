/** The panels of the page, by id. The order of the ids in `frame/route.ts` is the order of the navigation. */
import type { ComponentType } from "preact";
import { laterPanel, loadLaterPanels } from "./frame/later-panel.js";
import { PANEL_IDS, type PanelId } from "./frame/route.js";
import { ConnectPanel } from "./panels/connect/connect-panel.js";
import { DevicePanel } from "./panels/device/device-panel.js";
import type { IconName } from "./parts/icon.js";

export interface PanelEntry {
  /** Id in the address: `#apps`. */
  readonly id: PanelId;
  readonly title: string;
  readonly icon: IconName;
  readonly component: ComponentType;
  /** Rendered only while a console is connected or reconnecting; otherwise the frame shows a placeholder. */
  readonly needsConsole: boolean;
  /** Preloads what the panel needs, when the user is about to open it. */
  readonly prepare?: () => void;
}

const ENTRIES: Readonly<Record<PanelId, Omit<PanelEntry, "id">>> = {
  connect: { title: "Connect", icon: "connect", component: ConnectPanel, needsConsole: false },
  device: { title: "Device", icon: "device", component: DevicePanel, needsConsole: true },
  apps: later("apps", "Apps", "AppsPanel", true),
  store: later("store", "Store", "StorePanel", false),
  firmware: later("firmware", "Firmware", "FirmwarePanel", true),
  logs: later("logs", "Logs", "LogsPanel", true),
  shell: later("shell", "Shell", "ShellPanel", true),
  screen: later("screen", "Screen", "ScreenPanel", true),
};

export const PANELS: readonly PanelEntry[] = PANEL_IDS.map((id) => ({ id, ...ENTRIES[id] }));

/** @returns the same object on each call */
export function panelEntry(id: PanelId): PanelEntry {
  return PANELS[PANEL_IDS.indexOf(id)] as PanelEntry;
}

/** A panel of the script that is loaded on first use. @param id also the name of the panel's icon */
function later(
  id: PanelId & IconName,
  title: string,
  name: Parameters<typeof laterPanel>[0],
  needsConsole: boolean,
): Omit<PanelEntry, "id"> {
  const component = laterPanel(name, title, id);
  return { title, icon: id, component, needsConsole, prepare: loadLaterPanels };
}
