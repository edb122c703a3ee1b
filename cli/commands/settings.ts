/** `svc settings`: shows and changes what the user has chosen on a console (docs/spec/home.md#chosen). */
import type { SettingChanges } from "../../device-client/device.js";
import type { Preferences } from "../../protocol/device/answers.js";
import type { Command } from "../command.js";
import { SvcError } from "../svc-error.js";

const NAMES = Object.freeze([
  "start_app",
  "brightness_percent",
  "sleep_after_s",
  "updates",
  "utc_offset",
] satisfies (keyof Preferences)[]);
type SettingName = (typeof NAMES)[number];

export const settings: Command = Object.freeze<Command>({
  name: "settings",
  summary: "Show the settings of a console, or change some of them.",
  parameters: [
    {
      name: "NAME=VALUE",
      summary: `new value of a setting: ${NAMES.join(", ")}; default: change nothing`,
      isOptional: true,
      isRepeatable: true,
    },
  ],
  options: [],
  isForConsole: true,
  notes: [
    "start_app: name of the app that starts with the console; empty for none, * for the one that was in front last. brightness_percent: 10 to 100. sleep_after_s: seconds without a button after which the display goes dark; 0 for never. updates: ask before firmware that the hub orders, ask_all before apps, too, or automatic. utc_offset: by which local time is ahead of UTC, such as +02:00.",
    "To change settings takes USB, or the bearer token (--token). The console changes all that is given, or nothing.",
  ],
  async run({ device, lists }) {
    const changes = changesIn(lists["NAME=VALUE"] ?? []);
    const opened = await device();
    const isChange = Object.keys(changes).length > 0;
    const answer = isChange ? await opened.changeSettings(changes) : await opened.settings();
    const lines = NAMES.filter((name) => name in answer).map((name) => `${name}=${answer[name]}`);
    return { text: lines.join("\n"), json: answer };
  },
});

/** @throws {SvcError} `wrong_usage` unless each is a setting with a value, given once; the console checks the values */
function changesIn(given: readonly string[]): SettingChanges {
  const changes: Partial<Record<SettingName, string>> = {};
  for (const text of given) {
    const at = text.indexOf("=");
    const name = at < 0 ? text : text.slice(0, at);
    if (!isSettingName(name)) throw unusable(`There is no setting "${name}"`);
    if (at < 0) throw unusable(`Setting "${name}" has no value`);
    if (changes[name] !== undefined) throw unusable(`Setting "${name}" is given twice`);
    changes[name] = text.slice(at + 1);
  }
  return changes;
}

function isSettingName(name: string): name is SettingName {
  return (NAMES as readonly string[]).includes(name);
}

function unusable(message: string): SvcError {
  return new SvcError("wrong_usage", message, {
    advice: `Give NAME=VALUE; the settings are ${NAMES.join(", ")}.`,
  });
}
