/** The table of shell commands; `help` and the documentation derive from it. */
import { Fault } from "../../../protocol/fault.js";
import { formatUptime } from "../logs/log-line.js";
import { LOG_LEVELS } from "../logs/log-service.js";
import { LOG_LEVEL_SETTING } from "../settings/settings.js";
import {
  allowBackground,
  bringAppToFront,
  installApp,
  listApps,
  scanUsb,
  showAppStatus,
  startApp,
  stopApp,
  uninstallApp,
} from "./app-commands.js";
import type { Command, ShellContext } from "./command.js";
import { listDirectory, showFile } from "./file-commands.js";
import {
  applyFirmware,
  confirmFirmware,
  registerWithHub,
  setHub,
  showHubStatus,
  showOtaStatus,
} from "./hub-commands.js";

export const COMMANDS: readonly Command[] = Object.freeze([
  {
    name: "help",
    usage: "help",
    summary: "list the commands",
    right: "read",
    least: 0,
    most: 0,
    isReading: true,
    run: help,
  },
  {
    name: "status",
    usage: "status",
    summary: "show the console's status",
    right: "read",
    least: 0,
    most: 0,
    isReading: true,
    run: status,
  },
  {
    name: "uptime",
    usage: "uptime",
    summary: "show the time since boot",
    right: "read",
    least: 0,
    most: 0,
    isReading: true,
    run: uptime,
  },
  {
    name: "free",
    usage: "free",
    summary: "show free memory and storage",
    right: "read",
    least: 0,
    most: 0,
    isReading: true,
    run: free,
  },
  {
    name: "log level",
    usage: "log level [debug|info|warning|error]",
    summary: "show or set the log level",
    right: "manage",
    least: 0,
    most: 1,
    isReading: "bare",
    run: logLevel,
  },
  {
    name: "app list",
    usage: "app list",
    summary: "list the installed apps",
    right: "read",
    least: 0,
    most: 0,
    isReading: true,
    run: listApps,
  },
  {
    name: "app status",
    usage: "app status",
    summary: "show the running apps",
    right: "read",
    least: 0,
    most: 0,
    isReading: true,
    run: showAppStatus,
  },
  {
    name: "app install",
    usage: "app install PATH",
    summary: "install an app from a file below /lfs, /sd or /usb",
    right: "manage",
    least: 1,
    most: 1,
    isReading: false,
    run: installApp,
  },
  {
    name: "app start",
    usage: "app start NAME",
    summary: "start an app",
    right: "manage",
    least: 1,
    most: 1,
    isReading: false,
    run: startApp,
  },
  {
    name: "app front",
    usage: "app front NAME",
    summary: "bring a running app to the front",
    right: "manage",
    least: 1,
    most: 1,
    isReading: false,
    run: bringAppToFront,
  },
  {
    name: "app background",
    usage: "app background NAME on|off",
    summary: "choose whether an app runs in the background",
    right: "background",
    least: 2,
    most: 2,
    isReading: false,
    run: allowBackground,
  },
  {
    name: "app stop",
    usage: "app stop NAME",
    summary: "stop an app",
    right: "manage",
    least: 1,
    most: 1,
    isReading: false,
    run: stopApp,
  },
  {
    name: "app uninstall",
    usage: "app uninstall NAME",
    summary: "remove an app and its data",
    right: "manage",
    least: 1,
    most: 1,
    isReading: false,
    run: uninstallApp,
  },
  {
    name: "app scan usb",
    usage: "app scan usb",
    summary: "install new and newer apps from the USB drive",
    right: "manage",
    least: 0,
    most: 0,
    isReading: false,
    run: scanUsb,
  },
  {
    name: "ota status",
    usage: "ota status",
    summary: "show the state of the firmware update",
    right: "read",
    least: 0,
    most: 0,
    isReading: true,
    run: showOtaStatus,
  },
  {
    name: "ota confirm",
    usage: "ota confirm",
    summary: "keep the firmware on trial",
    right: "manage",
    least: 0,
    most: 0,
    isReading: false,
    run: confirmFirmware,
  },
  {
    name: "ota apply",
    usage: "ota apply",
    summary: "restart into staged firmware, or fetch what is available",
    right: "manage",
    least: 0,
    most: 0,
    isReading: false,
    run: applyFirmware,
  },
  {
    name: "hub status",
    usage: "hub status",
    summary: "show the hub and the connection to it",
    right: "read",
    least: 0,
    most: 0,
    isReading: true,
    run: showHubStatus,
  },
  {
    name: "hub set",
    usage: "hub set URL [--same-hub]",
    summary: 'set the hub, "" for none; --same-hub keeps the token of a hub that has moved',
    right: "manage",
    least: 1,
    most: 2,
    isReading: false,
    run: setHub,
  },
  {
    name: "hub register",
    usage: "hub register",
    summary: "register with the hub again, and show the result",
    right: "manage",
    least: 0,
    most: 0,
    isReading: false,
    run: registerWithHub,
  },
  {
    name: "ls",
    usage: "ls [PATH]",
    summary: "list a directory below /lfs",
    right: "read",
    least: 0,
    most: 1,
    isReading: true,
    run: ({ files }, [path], caller) => listDirectory(files, path ?? "/lfs", caller),
  },
  {
    name: "cat",
    usage: "cat PATH",
    summary: "show a file below /lfs",
    right: "read",
    least: 1,
    most: 1,
    isReading: true,
    run: ({ files }, [path], caller) => showFile(files, path as string, caller),
  },
  {
    name: "reboot",
    usage: "reboot",
    summary: "restart the console",
    right: "manage",
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
    throw new Fault("bad_parameter", `"${wanted}" is not a log level: use ${LOG_LEVELS.join(", ")}.`);
  settings.write(LOG_LEVEL_SETTING, level);
  log.level = level;
  log.write("info", "shell", `log level is ${level}`);
  return `${level}\n`;
}

function reboot({ restart }: ShellContext): string {
  restart.request();
  return "Rebooting.\n";
}
