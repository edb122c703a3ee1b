/** Opens the store, with a new account at the hub of the connected console. */
import type { Locator } from "playwright-core";
import type { ConsolePage } from "./console-page.js";
import { until } from "./until.js";

/** @returns the panel, once the catalogue and its icons are shown */
export async function openStore(page: ConsolePage): Promise<Locator> {
  const store = await page.go("Store");
  const account = page.button("Create an account");
  const catalogue = store.getByRole("list", { name: "Apps of the hub" });
  await account.or(catalogue).waitFor();
  if (await account.isVisible()) await account.click();
  await catalogue.waitFor();
  await until(
    () => Promise.all([catalogue.getByRole("listitem").count(), catalogue.locator("img").count()]),
    ([entries, icons]) => icons === entries,
  );
  return store;
}
