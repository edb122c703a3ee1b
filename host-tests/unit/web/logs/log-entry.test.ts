import { expect, test } from "vitest";
import { parseLogLine } from "../../../../web/panels/logs/log-entry.js";

const LINES = [
  {
    name: "splits a line",
    text: "12.345 W wifi: no address yet",
    entry: { kind: "message", time: "12.345", level: "W", source: "wifi", message: "no address yet" },
  },
  {
    name: "keeps the whole source of an app",
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
    name: "accepts an empty message",
    text: "3.000 I app/x: ",
    entry: { kind: "message", time: "3.000", level: "I", source: "app/x", message: "" },
  },
  { name: "recognizes a restart", text: "0.001 I boot: previous run ended here", entry: { kind: "restart" } },
  {
    name: "does not take an app's line for a restart",
    text: "0.001 I app/boot: previous run ended here",
    entry: { kind: "message", source: "app/boot", message: "previous run ended here" },
  },
  {
    name: "keeps a line of another form as it is",
    text: "ESP-ROM:esp32s3-20210327",
    entry: { kind: "other" },
  },
  { name: "rejects other levels", text: "1.000 F boot: x", entry: { kind: "other" } },
  { name: "keeps a line without a source as it is", text: "1.000 I hello", entry: { kind: "other" } },
];
for (const { name, text, entry } of LINES)
  test(`parseLogLine ${name}`, () =>
    expect(parseLogLine(text, 7)).toMatchObject({ ...entry, number: 7, text }));
