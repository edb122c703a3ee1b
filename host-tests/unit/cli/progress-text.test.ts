/** How `svc` shows the progress of an upload. */
import { expect, test } from "vitest";
import { barText, doneText, lineText } from "../../../cli/terminal/progress.js";

const MIB = 1024 * 1024;
const totalBytes = 4 * MIB;
const LONG_MS = 2000;

const BARS = [
  { name: "shows the sent bytes", sentBytes: 0, elapsedMs: 0, text: "0 bytes of 4.0 MiB" },
  {
    name: "shows no rate before the system's buffers are full",
    sentBytes: 2 * MIB,
    elapsedMs: 10,
    text: "2.0 MiB of 4.0 MiB",
  },
  {
    name: "shows rate and remaining time after a while",
    sentBytes: MIB,
    elapsedMs: LONG_MS,
    text: "1.0 MiB of 4.0 MiB  512.0 KiB/s  6 s left",
  },
  {
    name: "shows what it waits for, with no rate or time, once all bytes are sent",
    sentBytes: totalBytes,
    elapsedMs: LONG_MS,
    text: "the console receives and checks it",
  },
];
for (const { name, text, ...progressed } of BARS)
  test(`The bar of an upload ${name}`, () => expect(barText({ ...progressed, totalBytes })).toBe(text));

test("The bar of a finished upload shows its duration", () => {
  expect(doneText({ totalBytes, elapsedMs: 14_000 })).toBe("4.0 MiB in 14 s");
});

test("A line about an upload shows the sent bytes and the rate", () => {
  const line = lineText({ sentBytes: MIB, totalBytes, elapsedMs: LONG_MS });
  expect(line).toBe("25 %, 1.0 MiB of 4.0 MiB, 512.0 KiB/s");
});

test("A line about a sent upload shows what it waits for", () => {
  const line = lineText({ sentBytes: totalBytes, totalBytes, elapsedMs: LONG_MS });
  expect(line).toBe("4.0 MiB sent, the console receives and checks it");
});
