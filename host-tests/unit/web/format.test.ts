/** Figures as the page writes them. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { formatBytes, formatDuration, formatPercent, formatRate } from "../../../web/format.js";

const CASES: readonly { readonly is: string; readonly shows: string; readonly text: string }[] = [
  { is: "no byte", shows: "0 bytes", text: formatBytes(0) },
  { is: "one byte", shows: "1 byte", text: formatBytes(1) },
  { is: "the most bytes", shows: "1023 bytes", text: formatBytes(1023) },
  { is: "1 KiB", shows: "1.0 KiB", text: formatBytes(1024) },
  { is: "5.3 KiB", shows: "5.3 KiB", text: formatBytes(5432) },
  { is: "three digits without a fraction", shows: "100 KiB", text: formatBytes(102_399) },
  { is: "just under 1 MiB", shows: "1.0 MiB", text: formatBytes(1024 * 1024 - 1) },
  { is: "4 MiB", shows: "4.0 MiB", text: formatBytes(4 << 20) },
  { is: "more than the largest unit", shows: "2048 GiB", text: formatBytes(2 ** 41) },
  { is: "a rate", shows: "48.0 KiB/s", text: formatRate(49_152) },
  { is: "a share", shows: "35%", text: formatPercent(0.349) },
  { is: "almost a second", shows: "0 s", text: formatDuration(999) },
  { is: "seconds", shows: "59 s", text: formatDuration(59_999) },
  { is: "a minute", shows: "1 min 00 s", text: formatDuration(60_000) },
  { is: "minutes", shows: "3 min 07 s", text: formatDuration(187_000) },
  { is: "hours", shows: "5 h 12 min", text: formatDuration((5 * 60 + 12) * 60_000) },
  { is: "days", shows: "2 d 03 h", text: formatDuration(51 * 3_600_000) },
];
for (const { is, shows, text } of CASES) test(`${is}: ${shows}`, () => assert.equal(text, shows));
