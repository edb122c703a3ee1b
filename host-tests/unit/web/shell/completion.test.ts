import { expect, test } from "vitest";
import { COMMANDS } from "../../../../device/services/shell/commands.js";
import { complete, usagesOf } from "../../../../web/panels/shell/command-line.js";

/** As the console prints it. */
const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
const help = COMMANDS.map(({ usage, summary }) => `${usage.padEnd(width)}  ${summary}\n`).join("");
const usages = usagesOf(help);
const apps = ["bricks", "brass", "clock"];

test("Every command of the console is known by its help", () => expect(usages.length).toBe(COMMANDS.length));

const CASES = [
  { name: "a word that is the only one", line: "upt", becomes: "uptime ", choices: [] },
  { name: "a second word", line: "app sc", becomes: "app scan ", choices: [] },
  { name: "a third word", line: "app scan ", becomes: "app scan usb ", choices: [] },
  { name: "nothing that may be several", line: "app sta", becomes: "app sta", choices: ["start", "status"] },
  { name: "as far as all agree", line: "app un", becomes: "app uninstall ", choices: [] },
  { name: "the name of an app", line: "app start cl", becomes: "app start clock ", choices: [] },
  {
    name: "what names of apps have in common",
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
  { name: "no word that is not there", line: "xyz", becomes: "xyz", choices: [] },
  { name: "nothing behind a whole command", line: "reboot ", becomes: "reboot ", choices: [] },
  { name: "behind more blanks than one", line: "  app   sc", becomes: "  app   scan ", choices: [] },
];
for (const { name, line, becomes, choices } of CASES)
  test(`Tab completes ${name}`, () =>
    expect(complete(line, usages, apps)).toEqual({ line: becomes, choices }));

test("Tab lists every first word where nothing is written", () =>
  expect(complete("", usages, apps).choices).toEqual(
    [...new Set(COMMANDS.map(({ usage }) => usage.split(" ")[0]))].sort(),
  ));

test("Tab completes nothing before help is known", () =>
  expect(complete("app", [], apps)).toEqual({ line: "app", choices: [] }));
