import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { gzip } from "../../../tools/gzip.js";

test("gzip() gives what zlib reads, and leaves the program's errors to the program", async () => {
  const listeners = () =>
    ["uncaughtException", "unhandledRejection"].map((name) => process.rawListeners(name));
  const before = listeners();
  const text = "<p>a page</p>".repeat(100);
  const compressed = await gzip(Buffer.from(text));
  expect(gunzipSync(compressed).toString()).toBe(text);
  expect(compressed.length).toBeLessThan(60);
  expect(listeners()).toEqual(before);
});
