/** The script that a board on RV32 is played, as boards/rv32/kernel/script.h has it. */
import { describe, expect, test } from "vitest";
import { type Command, writeScript } from "../../../../boards/rv32/session/script.js";

const script = (...commands: readonly Command[]) =>
  String(writeScript([{ name: "step-1", count: 3, unit: "request", units: 1, commands }]));

const COMMANDS: readonly { readonly command: Command; readonly text: string }[] = [
  { command: { does: "open", channel: "http", port: 8080 }, text: "open http 8080\n" },
  { command: { does: "open", channel: "usb", port: "usb" }, text: "open usb usb\n" },
  { command: { does: "send", channel: "usb", bytes: Buffer.from("{}\n") }, text: "send usb 3\n{}\n\n" },
  { command: { does: "wait", milliseconds: 100 }, text: "wait 100\n" },
  { command: { does: "close", channel: "usb" }, text: "close usb\n" },
  {
    command: { does: "await", channel: "http", what: "http", expected: [{ status: 200 }] },
    text: "await http http 1\n",
  },
  {
    command: { does: "await", channel: "usb", what: "lines", expected: [{ status: 200 }, { status: 404 }] },
    text: "await usb lines 2\n",
  },
  {
    command: { does: "await", channel: "log", what: "frames", expected: [{ closeCode: 1000 }] },
    text: "await log frames 1\n",
  },
  {
    command: { does: "await", channel: "log", what: "text", text: "größe\n" },
    text: "await log text 8\ngröße\n\n",
  },
];

describe("a command is a line, followed by its bytes", () => {
  for (const { command, text } of COMMANDS)
    test(text.trimEnd(), () => expect(script(command)).toBe(`step step-1 3\n${text}end\n`));
});

test("bytes that are not text are sent unchanged", () => {
  const bytes = Uint8Array.of(0, 10, 255);
  const written = writeScript([
    { name: "a", count: 1, unit: "b", units: 1, commands: [{ does: "send", channel: "c", bytes }] },
  ]);
  expect(written.subarray(written.indexOf("3\n") + 2, -5)).toEqual(Buffer.from(bytes));
});

test("a name with a space is rejected", () =>
  expect(() => script({ does: "close", channel: "two words" })).toThrow(/"two words"/));
