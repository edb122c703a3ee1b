/** `svc apps`, `start`, `stop`, `uninstall`: manage the apps on a console. */

import { bytesText } from "../terminal/units.js";
import { textTable } from "../text-table.js";

/** @typedef {import("../../protocol/device/answers.ts").AppEntry} AppEntry */

const NAME = { name: "NAME", summary: "of the app, as `svc apps` says" };

/** @type {import("../command.js").Command} */
export const apps = Object.freeze({
  name: "apps",
  summary: "Lists the apps of a console.",
  parameters: [],
  options: [],
  isForConsole: true,
  async run({ device }) {
    const entries = await (await device()).apps();
    return { text: textTable(entries.map(rowOf)), json: entries };
  },
});

/** @type {import("../command.js").Command} */
export const start = Object.freeze({
  name: "start",
  summary: "Starts an app.",
  parameters: [NAME],
  options: [],
  isForConsole: true,
  async run({ values: { NAME: name = "" }, device }) {
    const entry = await (await device()).start(name);
    return { text: `${entry.name} ${entry.version} is running`, json: entry };
  },
});

/** @type {import("../command.js").Command} */
export const stop = Object.freeze({
  name: "stop",
  summary: "Stops a running app.",
  parameters: [NAME],
  options: [],
  isForConsole: true,
  async run({ values: { NAME: name = "" }, device }) {
    const entry = await (await device()).stop(name);
    return { text: `${entry.name} ${entry.version} is stopped`, json: entry };
  },
});

/** @type {import("../command.js").Command} */
export const uninstall = Object.freeze({
  name: "uninstall",
  summary: "Removes an app and what it has stored.",
  parameters: [NAME],
  options: [],
  isForConsole: true,
  async run({ values: { NAME: name = "" }, device }) {
    const answer = await (await device()).uninstall(name);
    return { text: `${answer.removed} is uninstalled`, json: answer };
  },
});

/** @param {AppEntry} entry */
function rowOf({ name, version, state, engine, size_bytes, capabilities, last_exit }) {
  const doing = engine === undefined ? state : `${state} (${engine})`;
  return [name, version, doing, bytesText(size_bytes), capabilities.join(" ") || "-", exitText(last_exit)];
}

/** @param {AppEntry["last_exit"]} exit */
function exitText(exit) {
  if (!exit) return "";
  const code = exit.code === undefined ? "" : ` ${exit.code}`;
  return `last ended by ${exit.reason}${code}${exit.message === undefined ? "" : `: ${exit.message}`}`;
}
