import { expect, test } from "vitest";
import { parseLogLine } from "../../../../web/panels/logs/log-entry.js";

const LINES = [
  {
    name: "takes a line apart",
    text: "12.345 W wifi: no address yet",
    entry: { kind: "message", time: "12.345", level: "W", source: "wifi", message: "no address yet" },
  },
  {
    name: "takes the source of an app whole",
    text: "0.001 E app/bricks: trap: out of bounds",
    entry: {
      kind: "message",
      time: "0.001",
      level: "E",
      source: "app/bricks",
      message: "trap: out of bounds",
    },
  },
  {
    name: "takes a message that is empty",
    text: "3.000 I app/x: ",
    entry: { kind: "message", time: "3.000", level: "I", source: "app/x", message: "" },
  },
  { name: "knows a restart", text: "0.001 I boot: previous run ended here", entry: { kind: "restart" } },
  {
    name: "takes an app that says so for what it is",
    text: "0.001 I app/boot: previous run ended here",
    entry: { kind: "message", source: "app/boot", message: "previous run ended here" },
  },
  {
    name: "keeps what has another form as it is",
    text: "ESP-ROM:esp32s3-20210327",
    entry: { kind: "other" },
  },
  { name: "knows no other levels", text: "1.000 F boot: x", entry: { kind: "other" } },
  { name: "keeps a line without a source as it is", text: "1.000 I hello", entry: { kind: "other" } },
];
for (const { name, text, entry } of LINES)
  test(`parseLogLine ${name}`, () =>
    expect(parseLogLine(text, 7)).toMatchObject({ ...entry, number: 7, text }));
