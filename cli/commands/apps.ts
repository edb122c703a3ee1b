/** `svc apps`, `start`, `stop`, `front`, `background`, `uninstall`: manage the apps on a console. */
import type { Device } from "../../device-client/device.js";
import type { AppEntry } from "../../protocol/device/answers.js";
import type { Command } from "../command.js";
import { bytesText, textTable } from "../terminal/format.js";

/** Time for all icons: over a slow port the list comes without the rest of them. */
const ICONS_TIMEOUT_MS = 2000;

const NAME = { name: "NAME", summary: "name of the app, as `svc apps` lists it" };

export const apps: Command = Object.freeze<Command>({
  name: "apps",
  summary: "List the apps on a console.",
  parameters: [],
  options: [],
  isForConsole: true,
  async run({ device, output, signal }) {
    const opened = await device();
    const entries = await opened.apps();
    const pictures = output.pictures ? await iconsOf(entries, opened, signal) : [];
    return { text: textTable(entries.map(rowOf)), json: entries, pictures };
  },
});

export const start: Command = Object.freeze<Command>({
  name: "start",
  summary: "Start an app.",
  parameters: [NAME],
  options: [],
  isForConsole: true,
  async run({ values: { NAME: name = "" }, device }) {
    const entry = await (await device()).start(name);
    return { text: `${entry.name} ${entry.version} is running`, json: entry };
  },
});

export const stop: Command = Object.freeze<Command>({
  name: "stop",
  summary: "Stop a running app.",
  parameters: [NAME],
  options: [],
  isForConsole: true,
  async run({ values: { NAME: name = "" }, device }) {
    const entry = await (await device()).stop(name);
    return { text: `${entry.name} ${entry.version} is stopped`, json: entry };
  },
});

export const front: Command = Object.freeze<Command>({
  name: "front",
  summary: "Bring a running app to the front: it alone has the display and the buttons.",
  parameters: [NAME],
  options: [],
  isForConsole: true,
  async run({ values: { NAME: name = "" }, device }) {
    const entry = await (await device()).front(name);
    return { text: `${entry.name} ${entry.version} is in front`, json: entry };
  },
});

export const background: Command = Object.freeze<Command>({
  name: "background",
  summary: "Choose whether an app runs in the background.",
  parameters: [
    NAME,
    { name: "CHOICE", summary: "whether it goes on behind other apps", choices: ["on", "off"] },
  ],
  options: [],
  isForConsole: true,
  notes: [
    "Without it, an app that the user has opened or left on the console itself is suspended while it is not in front.",
    "Works over USB, or with the bearer token (--token).",
  ],
  async run({ values: { NAME: name = "", CHOICE: choice }, device }) {
    const isAllowed = choice === "on";
    const entry = await (await device()).background(name, isAllowed);
    const text = isAllowed ? `${entry.name} may run in the background` : `${entry.name} runs only in front`;
    return { text, json: entry };
  },
});

export const uninstall: Command = Object.freeze<Command>({
  name: "uninstall",
  summary: "Remove an app and its stored data.",
  parameters: [NAME],
  options: [],
  isForConsole: true,
  async run({ values: { NAME: name = "" }, device }) {
    const answer = await (await device()).uninstall(name);
    return { text: `${answer.removed} is uninstalled`, json: answer };
  },
});

/** @returns PNGs; `undefined` for an app without an icon, or whose icon is not received in time */
async function iconsOf(
  entries: readonly AppEntry[],
  device: Device,
  signal: AbortSignal,
): Promise<readonly (Uint8Array | undefined)[]> {
  if (!entries.some(({ icon }) => icon)) return [];
  const { iconPng } = await import("../terminal/icon-png.js");
  const ending = AbortSignal.any([signal, AbortSignal.timeout(ICONS_TIMEOUT_MS)]);
  const icons: (Uint8Array | undefined)[] = [];
  for (const { name, icon } of entries)
    icons.push(
      icon &&
        (await device
          .icon(name, ending)
          .then(iconPng)
          .catch(() => undefined)),
    ); // only decoration
  return icons;
}

/** @returns the columns of an app, its state as the console's shell shows it */
export function rowOf({
  name,
  version,
  state,
  engine,
  foreground,
  suspended,
  size_bytes,
  capabilities,
  last_exit,
}: AppEntry): string[] {
  const how = [engine, foreground ? "in front" : suspended && "suspended"].filter(Boolean).join(", ");
  const doing = how === "" ? state : `${state} (${how})`;
  return [name, version, doing, bytesText(size_bytes), capabilities.join(" ") || "-", exitText(last_exit)];
}

function exitText(exit: AppEntry["last_exit"]): string {
  if (!exit) return "";
  const code = exit.code === undefined ? "" : ` ${exit.code}`;
  return `last exit: ${exit.reason}${code}${exit.message === undefined ? "" : `: ${exit.message}`}`;
}
