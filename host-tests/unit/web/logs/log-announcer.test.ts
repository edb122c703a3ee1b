import { expect, test } from "vitest";
import { announcementOf } from "../../../../web/panels/logs/log-announcer.js";
import { parseLogLine } from "../../../../web/panels/logs/log-entry.js";

const CASES = [
  { name: "is empty without lines", lines: [], says: "" },
  { name: "includes a line", lines: ["1.000 I app/a: hello"], says: "app/a: hello" },
  { name: "includes the level of a warning", lines: ["1.000 W wifi: lost"], says: "Warning, wifi: lost" },
  {
    name: "includes a few lines",
    lines: ["0.001 I boot: previous run ended here", "0.002 E hub: x"],
    says: "The console restarted\nError, hub: x",
  },
  { name: "counts lines that are too many to read", lines: ["a", "b", "c"], says: "3 new lines" },
  {
    name: "includes the newest error of many lines",
    lines: ["1.000 E a: first", "2.000 E b: second", "3.000 I c: x"],
    says: "3 new lines. Error, b: second",
  },
];
for (const { name, lines, says } of CASES)
  test(`The log, read aloud, ${name}`, () => expect(announcementOf(lines.map(parseLogLine))).toBe(says));
