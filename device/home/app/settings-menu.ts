/** The settings: a row for each page or menu, with what it is set to. */
import { consolePage } from "./console-page";
import { askToReset } from "./factory-reset";
import { firmwarePage } from "./firmware-page";
import { hubPage } from "./hub-page";
import { keysMenu } from "./keys-menu";
import { logPage } from "./log-page";
import { Menu } from "./menu";
import {
  FIRMWARE as FIRMWARE_PART,
  HUB as HUB_PART,
  SETTINGS as PART,
  STATUS,
  WIFI as WIFI_PART,
} from "./parts";
import { displayMenu, startMenu, updatesMenu, writeStart, writeUpdates } from "./preferences";
import { openScreen, redraw } from "./screen";
import { firmware, hub, settings, status, want, wifi } from "./state";
import { storagePage } from "./storage-page";
import {
  AT_START,
  CONSOLE,
  DISPLAY,
  FACTORY_RESET,
  FIRMWARE,
  FIRMWARE_ON_TRIAL,
  HUB,
  HUB_CONNECTED,
  HUB_NOT_CONNECTED,
  HUB_OFF,
  KEYS,
  LOG,
  PERCENT,
  SETTINGS,
  STORAGE,
  UPDATES,
  WIFI,
} from "./texts";
import { wifiMenu, writeState } from "./wifi-menu";

enum Row {
  WIFI,
  CONSOLE,
  HUB,
  FIRMWARE,
  STORAGE,
  LOG,
  DISPLAY,
  AT_START,
  UPDATES,
  KEYS,
  FACTORY_RESET,
}
const ROWS = 11;
const SHOWN = STATUS | HUB_PART | FIRMWARE_PART | WIFI_PART | PART;

class SettingsMenu extends Menu {
  title(): string {
    return SETTINGS;
  }

  override show(): void {
    want(WIFI_PART | PART);
  }

  override changed(parts: i32): void {
    if (parts & SHOWN) redraw();
  }

  count(): i32 {
    return ROWS;
  }

  writeRow(row: i32): void {
    this.label.put(labelOf(row));
    const value = this.value;
    if (row === Row.WIFI) {
      if (wifi.ssid.length > 0) value.putText(wifi.ssid);
      else writeState(value);
    } else if (row === Row.CONSOLE) value.putText(status.address);
    else if (row === Row.HUB)
      value.put(hub.url.length === 0 ? HUB_OFF : hub.isConnected ? HUB_CONNECTED : HUB_NOT_CONNECTED);
    else if (row === Row.FIRMWARE) {
      if (firmware.isOnTrial()) value.put(FIRMWARE_ON_TRIAL);
      else value.putText(firmware.version);
    } else if (row === Row.DISPLAY) value.putNumber(settings.brightnessPercent).put(PERCENT);
    else if (row === Row.AT_START) writeStart(value);
    else if (row === Row.UPDATES) writeUpdates(value);
  }

  choose(row: i32): void {
    if (row === Row.WIFI) openScreen(wifiMenu);
    else if (row === Row.CONSOLE) openScreen(consolePage);
    else if (row === Row.HUB) openScreen(hubPage);
    else if (row === Row.FIRMWARE) openScreen(firmwarePage);
    else if (row === Row.STORAGE) openScreen(storagePage);
    else if (row === Row.LOG) openScreen(logPage);
    else if (row === Row.DISPLAY) openScreen(displayMenu);
    else if (row === Row.AT_START) openScreen(startMenu);
    else if (row === Row.UPDATES) openScreen(updatesMenu);
    else if (row === Row.KEYS) openScreen(keysMenu);
    else askToReset();
  }
}

function labelOf(row: i32): string {
  if (row === Row.WIFI) return WIFI;
  if (row === Row.CONSOLE) return CONSOLE;
  if (row === Row.HUB) return HUB;
  if (row === Row.FIRMWARE) return FIRMWARE;
  if (row === Row.STORAGE) return STORAGE;
  if (row === Row.LOG) return LOG;
  if (row === Row.DISPLAY) return DISPLAY;
  if (row === Row.AT_START) return AT_START;
  if (row === Row.UPDATES) return UPDATES;
  return row === Row.KEYS ? KEYS : FACTORY_RESET;
}

export const settingsMenu: Menu = new SettingsMenu();
