/** The pages of fleets in Chromium, signed in with a token, as the web console keeps it. */
import type { Page } from "playwright-core";
import type { HubUnderTest } from "../../hub/hosts/hub-under-test.js";
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
