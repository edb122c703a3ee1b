/** The one table of shell commands; `help` and the documentation derive from it. */
import { Fault } from "../../../protocol/fault.js";
import type { Drives } from "../../ports/drives.js";
import type { Directory } from "../../ports/files.js";
import type { System } from "../../ports/system.js";
import type { Request } from "../api/request.js";
import type { Apps } from "../apps/apps.js";
import type { DriveInstall } from "../apps/drive-install.js";
import type { FirmwareService } from "../firmware/firmware-service.js";
import type { HubService } from "../hub/hub-service.js";
import { formatUptime } from "../logs/log-line.js";
import { LOG_LEVELS, type LogService } from "../logs/log-service.js";
import type { Restart } from "../restart/restart.js";
import { LOG_LEVEL_SETTING } from "../settings/paths.js";
import type { Settings } from "../settings/settings.js";
import type { StatusService } from "../status/status-service.js";
import {
  installApp,
  listApps,
  scanUsb,
  showAppStatus,
  startApp,
  stopApp,
  uninstallApp,
} from "./app-commands.js";
import { listDirectory, showFile } from "./file-commands.js";
import { registerWithHub, setHub, showHubStatus } from "./hub-commands.js";
import { applyFirmware, confirmFirmware, showOtaStatus } from "./ota-commands.js";

/** What commands may use. */
export interface ShellContext {
  readonly apps: Apps;
  /** What is plugged in now. */
  readonly drives: Drives;
  readonly files: Directory;
  readonly hub: HubService;
  readonly installs: DriveInstall;
  readonly log: LogService;
  readonly ota: FirmwareService;
  readonly restart: Restart;
  readonly settings: Settings;
  readonly status: StatusService;
  readonly system: System;
}

/** The request that a command came with, as far as commands care. */
export type Caller = Pick<Request, "transport" | "isOwner">;

export interface Command {
  /** One word, two or three. */
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** How many words may follow the name. */
  readonly least: number;
  readonly most: number;
  /**
   * Whether the command changes nothing, so that `GET /api/cmd` runs it: browsers send GET for images and links of
   * any page, without an Origin. `"bare"`: only without further words.
   */
  readonly isReading: boolean | "bare";
  /**
   * @throws {Fault} whose message becomes the output
   */
  readonly run: (context: ShellContext, words: readonly string[], caller: Caller) => string | Promise<string>;
}

export const COMMANDS: readonly Command[] = Object.freeze([
  {
    name: "help",
    usage: "help",
    summary: "lists the commands",
    least: 0,
    most: 0,
    isReading: true,
    run: help,
  },
  {
    name: "status",
    usage: "status",
    summary: "shows how the console is doing",
    least: 0,
    most: 0,
    isReading: true,
    run: status,
  },
  {
    name: "uptime",
    usage: "uptime",
    summary: "shows the time since boot",
    least: 0,
    most: 0,
    isReading: true,
    run: uptime,
  },
  {
    name: "free",
    usage: "free",
    summary: "shows free memory and storage",
    least: 0,
    most: 0,
    isReading: true,
    run: free,
  },
  {
    name: "log level",
    usage: "log level [debug|info|warning|error]",
    summary: "shows or sets what is logged",
    least: 0,
    most: 1,
    isReading: "bare",
    run: logLevel,
  },
  {
    name: "app list",
    usage: "app list",
    summary: "lists the installed apps",
    least: 0,
    most: 0,
    isReading: true,
    run: listApps,
  },
  {
    name: "app status",
    usage: "app status",
    summary: "shows the running apps",
    least: 0,
    most: 0,
    isReading: true,
    run: showAppStatus,
  },
  {
    name: "app install",
    usage: "app install PATH",
    summary: "installs an app from a file below /lfs, /sd or /usb",
    least: 1,
    most: 1,
    isReading: false,
    run: installApp,
  },
  {
    name: "app start",
    usage: "app start NAME",
    summary: "starts an app",
    least: 1,
    most: 1,
    isReading: false,
    run: startApp,
  },
  {
    name: "app stop",
    usage: "app stop NAME",
    summary: "stops an app",
    least: 1,
    most: 1,
    isReading: false,
    run: stopApp,
  },
  {
    name: "app uninstall",
    usage: "app uninstall NAME",
    summary: "removes an app and what it has stored",
    least: 1,
    most: 1,
    isReading: false,
    run: uninstallApp,
  },
  {
    name: "app scan usb",
    usage: "app scan usb",
    summary: "installs what is newer in the USB drive's apps",
    least: 0,
    most: 0,
    isReading: false,
    run: scanUsb,
  },
  {
    name: "ota status",
    usage: "ota status",
    summary: "shows how a firmware update is doing",
    least: 0,
    most: 0,
    isReading: true,
    run: showOtaStatus,
  },
  {
    name: "ota confirm",
    usage: "ota confirm",
    summary: "keeps the firmware that is on trial",
    least: 0,
    most: 0,
    isReading: false,
    run: confirmFirmware,
  },
  {
    name: "ota apply",
    usage: "ota apply",
    summary: "restarts into the firmware that is staged, or fetches what is available",
    least: 0,
    most: 0,
    isReading: false,
    run: applyFirmware,
  },
  {
    name: "hub status",
    usage: "hub status",
    summary: "shows the hub and whether it is there",
    least: 0,
    most: 0,
    isReading: true,
    run: showHubStatus,
  },
  {
    name: "hub set",
    usage: "hub set URL [--same-hub]",
    summary:
      'goes to this hub from now on, to none for ""; --same-hub keeps the token of a hub that has moved',
    least: 1,
    most: 2,
    isReading: false,
    run: setHub,
  },
  {
    name: "hub register",
    usage: "hub register",
    summary: "registers with the hub anew, and says how that went",
    least: 0,
    most: 0,
    isReading: false,
    run: registerWithHub,
  },
  {
    name: "ls",
    usage: "ls [PATH]",
    summary: "lists a directory below /lfs",
    least: 0,
    most: 1,
    isReading: true,
    run: ({ files }, [path]) => listDirectory(files, path ?? "/lfs"),
  },
  {
    name: "cat",
    usage: "cat PATH",
    summary: "shows a file below /lfs",
    least: 1,
    most: 1,
    isReading: true,
    run: ({ files }, [path]) => showFile(files, path as string),
  },
  {
    name: "reboot",
    usage: "reboot",
    summary: "restarts the console",
    least: 0,
    most: 0,
    isReading: false,
    run: reboot,
  },
] satisfies Command[]);

function help(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
  return COMMANDS.map(({ usage, summary }) => `${usage.padEnd(width)}  ${summary}\n`).join("");
}

function status({ status }: ShellContext): string {
  return Object.entries(status.current())
    .map(([field, value]) => `${field}: ${value}\n`)
    .join("");
}

function uptime({ status }: ShellContext): string {
  return `${formatUptime(status.current().uptime_ms)} s\n`;
}

function free({ system }: ShellContext): string {
  const heap = system.heap();
  const psram = system.psram?.();
  const storage = system.storage();
  const rows = [
    `heap     ${heap.freeBytes} of ${heap.totalBytes} bytes, ${heap.minimumFreeBytes} at the least\n`,
    psram ? `psram    ${psram.freeBytes} of ${psram.totalBytes} bytes\n` : "",
    `storage  ${storage.freeBytes} of ${storage.totalBytes} bytes\n`,
  ];
  return rows.join("");
}

function logLevel({ log, settings }: ShellContext, [wanted]: readonly string[]): string {
  if (wanted === undefined) return `${log.level}\n`;
  const level = LOG_LEVELS.find((candidate) => candidate === wanted);
  if (!level)
    throw new Fault("bad_parameter", `"${wanted}" is no level; there are ${LOG_LEVELS.join(", ")}.`);
  settings.write(LOG_LEVEL_SETTING, level);
  log.level = level;
  log.write("info", "shell", `log level is ${level}`);
  return `${level}\n`;
}

function reboot({ restart }: ShellContext): string {
  restart.request();
  return "Rebooting.\n";
}
