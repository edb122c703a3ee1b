/** The pages of fleets in Chromium, signed in with a token, as the web console keeps it. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { violations } from "../hosts/accessibility.js";
import type { Chromium } from "../hosts/chromium.js";

export interface FleetPage {
  readonly page: Page;
  /** Messages of the browser's console that say what failed. */
  readonly errors: readonly string[];
  readonly close: () => Promise<void>;
}

/** @param place behind the `#`, such as `/consoles` */
export async function openFleet(
  { browser }: Chromium,
  hub: Pick<HubUnderTest, "origin">,
  token: string,
  place = "/",
): Promise<FleetPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const { origin } = hub;
  const kept = JSON.stringify({ address: origin, token });
  await context.addInitScript(`localStorage.setItem("svc/hub", ${JSON.stringify(kept)})`);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.goto(`${origin}/fleet/#${place}`);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  return { page, errors, close: () => context.close() };
}

export async function go(page: Page, place: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, place);
}

/** No finding of axe and no horizontal scrolling, of the page or of a dialog, from 320 to 1920 px. */
export async function requireFit(page: Page): Promise<void> {
  for (const width of [320, 768, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    const over = await page.evaluate(() =>
      Math.max(
        ...[document.documentElement, ...document.querySelectorAll("dialog")].map(
          ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
        ),
      ),
    );
    expect([page.url(), width, Math.max(0, over), await violations(page)]).toEqual([
      page.url(),
      width,
      0,
      [],
    ]);
  }
}
