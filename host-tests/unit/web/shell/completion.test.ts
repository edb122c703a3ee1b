import { expect, test } from "vitest";
import { COMMANDS } from "../../../../device/services/shell/commands.js";
import { complete, usagesOf } from "../../../../web/panels/shell/command-line.js";

/** As the console prints it. */
const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
const help = COMMANDS.map(({ usage, summary }) => `${usage.padEnd(width)}  ${summary}\n`).join("");
const usages = usagesOf(help);
const apps = ["bricks", "brass", "clock"];

test("Every command of the console is found in its help", () => expect(usages.length).toBe(COMMANDS.length));

const CASES = [
  { name: "a word with one candidate", line: "upt", becomes: "uptime ", choices: [] },
  { name: "a second word", line: "app sc", becomes: "app scan ", choices: [] },
  { name: "a third word", line: "app scan ", becomes: "app scan usb ", choices: [] },
  {
    name: "nothing with several candidates",
    line: "app sta",
    becomes: "app sta",
    choices: ["start", "status"],
  },
  { name: "the common beginning", line: "app un", becomes: "app uninstall ", choices: [] },
  { name: "the name of an app", line: "app start cl", becomes: "app start clock ", choices: [] },
  {
    name: "the common beginning of app names",
    line: "app stop b",
    becomes: "app stop br",
    choices: ["brass", "bricks"],
  },
  { name: "one of a few words", line: "log level w", becomes: "log level warning ", choices: [] },
  {
    name: "none of a few words",
    line: "log level ",
    becomes: "log level ",
    choices: ["debug", "error", "info", "warning"],
  },
  { name: "no path", line: "cat /lf", becomes: "cat /lf", choices: [] },
  { name: "no unknown word", line: "xyz", becomes: "xyz", choices: [] },
  { name: "nothing after a complete command", line: "reboot ", becomes: "reboot ", choices: [] },
  { name: "after more than one blank", line: "  app   sc", becomes: "  app   scan ", choices: [] },
];
for (const { name, line, becomes, choices } of CASES)
  test(`Tab completes ${name}`, () =>
    expect(complete(line, usages, apps)).toEqual({ line: becomes, choices }));

test("Tab lists every first word on an empty line", () =>
  expect(complete("", usages, apps).choices).toEqual(
    [...new Set(COMMANDS.map(({ usage }) => usage.split(" ")[0]))].sort(),
  ));

test("Tab completes nothing before the help is loaded", () =>
  expect(complete("app", [], apps)).toEqual({ line: "app", choices: [] }));
