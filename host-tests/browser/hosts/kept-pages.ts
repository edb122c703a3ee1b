/**
 * Pictures of pages that are kept under version control and compared pixel by pixel (kept-pictures.ts). `npm run pictures`
 * takes them anew.
 *
 * Each system draws letters in its own way, so a picture of letters alone is kept, too. Where they look different, a
 * comparison would say nothing about the page: tests skip it.
 */
import path from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { countDifferences, isUpdating, keep, readPalettePng } from "../../hosts/kept-pictures.js";
import type { Picture } from "../../hosts/read-png.js";
import type { Chromium } from "./chromium.js";
import { smallPng } from "./small-png.js";

const LETTERS = path.join(import.meta.dirname, "../pictures/letters.png");

const LETTERS_PAGE = `<!doctype html><meta charset="utf-8"><style>
p { margin: 0.25rem; color: #222 }
.mono { font-family: ui-monospace, monospace }
</style>${["system-ui, sans-serif", "ui-monospace, monospace"]
  .flatMap((family) =>
    [400, 700].map(
      (weight) =>
        `<p style="font: ${weight} 1rem ${family}">Sphinx of black quartz, judge my vow: 0123456789 “” – … ← é</p>
<p style="font: ${weight} 1.75rem ${family}">Sphinx of black quartz</p>`,
    ),
  )
  .join("\n")}`;

/**
 * Whether this machine draws letters as the one did that took the kept pictures; a run that updates keeps its own. To be
 * called in a test.
 */
export async function drawsLettersAsKept({ browser }: Chromium): Promise<boolean> {
  const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
  try {
    await page.setContent(LETTERS_PAGE);
    const picture = await pictureOf(page);
    if (isUpdating()) keep(LETTERS, picture);
    return countDifferences(LETTERS, picture) === 0;
  } finally {
    await page.close();
  }
}

/** Compares all of the page, however long it is. @param file PNG */
export async function expectKeptPage(page: Page, file: string): Promise<void> {
  const picture = await pictureOf(page);
  keep(file, picture);
  expect(countDifferences(file, picture), `${page.url()} looks different from ${file}`).toBe(0);
}

async function pictureOf(page: Page): Promise<Picture> {
  await page.evaluate(loadImages);
  const png = await page.screenshot({ fullPage: true, animations: "disabled", caret: "hide" });
  return readPalettePng(smallPng(png));
}

/** Runs in the page: waits for its pictures, those outside the window included. */
async function loadImages(): Promise<void> {
  for (const image of document.images) {
    image.loading = "eager";
    await image.decode();
  }
}
