/** What a recorded session leaves out: what differs between two consoles that answer alike, and nothing beside it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { MASKS, masked } from "../../sessions/masks.js";

const recording = readFileSync(path.join(import.meta.dirname, "../../sessions/recording.txt"), "utf8");

test("a recording has nothing left to mask, and masking is idempotent", () =>
  expect(masked(recording)).toBe(recording));

for (const { reason, shown } of MASKS)
  test(`the recording contains the replacement of the mask for ${reason}`, () => {
    const texts = shown.split(/\$[0-9]/).filter((text) => text !== "");
    for (const text of texts) expect(recording).toContain(text);
  });

describe("similar text is not masked:", () => {
  const KEPT = [
    '{"size_bytes":167,"memory_quota":65536}',
    '{"storage":{"total_bytes":4194304,"free_bytes":4173824}}',
    '{"uptime_ms":"soon"}',
    '{"message":"A line takes at most 1024 bytes"}',
    "firmware 0.1.0 (Kestrel)",
    '{"token":"short"}',
    "HTTP/1.1 200 OK",
  ];
  for (const text of KEPT) test(text, () => expect(masked(text)).toBe(text));
});
