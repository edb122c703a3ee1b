/** The panels that are not needed at startup: in a separate script, loaded on first use. */
export { AppsPanel } from "./panels/apps/apps-panel.js";
export { FirmwarePanel } from "./panels/firmware/firmware-panel.js";
export { LogsPanel } from "./panels/logs/logs-panel.js";
export { ScreenPanel } from "./panels/screen/screen-panel.js";
export { ShellPanel } from "./panels/shell/shell-panel.js";
export { StorePanel } from "./panels/store/store-panel.js";
