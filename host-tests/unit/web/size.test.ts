/** What a browser loads before the page is shown and can connect (docs/spec/web-console.md#page-size). */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildConsole, type ConsoleFile } from "../../../tools/web-page.js";

const LIMIT_BYTES = 60_000;
const isLater = ({ path }: ConsoleFile) => path === "/panels.js";

test("the page and its script take at most 60,000 bytes in gzip", { timeout: 60_000 }, async () => {
  const files = (await buildConsole()).filter((file) => !isLater(file));
  const lengths = files.map(({ compressed }) => readFileSync(compressed).length);
  expect(lengths.reduce((sum, length) => sum + length)).toBeLessThanOrEqual(LIMIT_BYTES);
});

test("the page loads only that script at first, and the one for the panels when needed", async () => {
  const [page, script] = (await buildConsole()).map(({ plain }) => readFileSync(plain, "utf8"));
  const references = [...`${page}`.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="(?!data:)([^"]*)/g)];
  expect(references.map(([, address]) => address)).toEqual(["./console.js"]);
  expect([...`${script}`.matchAll(/import\([`"']([^`"']*)/g)].map(([, address]) => address)).toEqual([
    "./panels.js",
  ]);
});
