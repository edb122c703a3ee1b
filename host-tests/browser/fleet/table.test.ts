/** The pages of fleets over 10,000 consoles: the table, widths, accessibility, and what a viewer sees. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { addMember } from "../../hub/api/world.js";
import { TestPublisher } from "../../hub/devices/published.js";
import { insertDevices } from "../../hub/fleet/inserted-fleet.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { request } from "../../hub/hosts/request.js";
import { withDatabase } from "../../hub/push/database-of.js";
import { violations, walkByKeyboard } from "../hosts/accessibility.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";
import { go, openFleet } from "./fleet-page.js";

const CONSOLES = 10_000;
const HOSTILE = `<img src=x onerror="document.title='taken'">`;
const LONG = "W".repeat(64);

describe.skipIf(missesChromium)("The pages of fleets", () => {
  let chromium: Chromium;
  let hub: HubUnderTest;
  let token: string;
  let ids: readonly string[];

  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start();
    const { body } = await request(hub.origin, "POST", "/accounts");
    token = body.account_token;
    ids = await withDatabase(hub, (database) =>
      insertDevices(
        database,
        body.account_id,
        Array.from({ length: CONSOLES }, (_, index) => ({
          name: index === 0 ? HOSTILE : index === 1 ? LONG : `Console ${`${index}`.padStart(5, "0")}`,
          last_seen_at: Date.now() - (index < 7 ? 2 * 24 * 3_600_000 : 0),
        })),
      ),
    );
    const ask = (method: string, path: string, json: object) =>
      request(hub.origin, method, path, { token, json });
    await ask("PUT", `/devices/${ids[0]}/tags`, { tags: ["shop"] });
    await ask("POST", "/account/groups", { name: HOSTILE, filter: { tag: "shop" } });
    await ask("DELETE", `/devices/${ids[0]}/apps/chess`, {});
    chromium = await Chromium.launch();
  });
  afterEach(({ task }) => chromium.closePages(task));
  afterAll(async () => {
    await chromium?.close();
    await hub?.stop();
  });

  test("count what needs attention, and lead to it", async () => {
    const { page, errors } = await openFleet(chromium, hub, token);
    await page.getByRole("link", { name: `7 of ${CONSOLES} consoles` }).click();
    await page.getByText("7 consoles", { exact: true }).waitFor();
    expect(errors).toEqual([]);
  });

  test("scroll through 10,000 consoles with few rows in the page, and read only those in sight", async () => {
    const { page, errors } = await openFleet(chromium, hub, token, "/consoles");
    const lists: string[] = [];
    page.on("request", (sent) => {
      if (sent.url().includes("/account/devices")) lists.push(sent.url());
    });
    await page.getByText(`${CONSOLES} consoles`, { exact: true }).waitFor();
    const rows = page.getByRole("table", { name: "Consoles" }).getByRole("row");
    expect(await rows.count()).toBeLessThan(60);
    const table = page.getByRole("region", { name: "Table of consoles" });
    const { most, slowest } = await table.evaluate(async (frame) => {
      const times: number[] = [];
      let most = 0;
      for (let step = 1; step <= 60; step++) {
        const since = performance.now();
        frame.scrollTop = (frame.scrollHeight * step) / 60;
        await new Promise((resolve) => requestAnimationFrame(() => resolve(undefined)));
        times.push(performance.now() - since);
        most = Math.max(most, frame.querySelectorAll("tr, [role=row]").length);
      }
      return { most, slowest: Math.max(...times) };
    });
    expect(most).toBeLessThan(60); // in every frame, so that none takes long
    process.stdout.write(`the slowest of 60 frames: ${slowest.toFixed(0)} ms\n`);
    await page.getByRole("link", { name: LONG }).waitFor(); // sorted by name, it is the last one
    expect(await rows.count()).toBeLessThan(60);
    expect(lists.length).toBeLessThan(20);
    expect(errors).toEqual([]);
  });

  test("search, filter and sort on the hub, and keep that in the address", async () => {
    const { page } = await openFleet(chromium, hub, token, "/consoles");
    await page.getByLabel("Search name, MAC or id").fill("console 0432");
    await page.getByText("10 consoles", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Name" }).click();
    const first = page.getByRole("table", { name: "Consoles" }).getByRole("link").first();
    await expect.poll(() => first.textContent()).toBe("Console 04329");
    await page.reload();
    await page.getByText("10 consoles", { exact: true }).waitFor();
    await expect.poll(() => first.textContent()).toBe("Console 04329");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByLabel("Firmware version").fill("1.0");
    await page.getByText(`${CONSOLES} consoles`, { exact: true }).waitFor();
    await page.getByLabel("Tag", { exact: true }).fill("shop");
    await page.getByText("1 consoles", { exact: true }).waitFor();
  });

  test("show names of strangers as text", async () => {
    const { page, errors } = await openFleet(chromium, hub, token, `/consoles/${ids[0]}`);
    await page.getByRole("heading", { name: HOSTILE }).waitFor();
    await go(page, "/groups");
    await page.getByRole("link", { name: HOSTILE }).waitFor();
    await go(page, "/consoles?tag=shop");
    await page.getByRole("link", { name: HOSTILE }).waitFor();
    expect([await page.title(), await page.locator("img").count(), errors]).toEqual(["svc fleet", 0, []]);
  });

  test("ask before they give an order to chosen consoles, and say to how many", async () => {
    const { page } = await openFleet(chromium, hub, token, "/consoles?q=console%20077");
    await page.getByRole("checkbox", { name: "Choose Console 07700" }).check();
    await page.getByRole("checkbox", { name: "Choose Console 07701" }).check();
    await page.getByRole("heading", { name: "Order for 2 consoles" }).waitFor();
    await page.getByLabel("Order", { exact: true }).selectOption("Remove an app");
    await page.getByLabel("Name of the app").fill("chess");
    const asks = async (title: string, answer: string) => {
      await page.getByRole("button", { name: "Give the order" }).click();
      const dialog = page.getByRole("dialog", { name: title });
      await dialog.getByRole("button", { name: answer, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    };
    const ordered: string[] = [];
    page.on("request", (sent) => {
      if (sent.url().endsWith("/account/devices/orders")) ordered.push(sent.url());
    });
    await asks("Remove chess from 2 consoles?", "Cancel");
    expect(ordered).toEqual([]);
    await asks("Remove chess from 2 consoles?", "Remove");
    await page.getByText("Given to 2 consoles").waitFor();
    await page.getByRole("checkbox", { name: /^All 100 that match/ }).check();
    await page.getByLabel("Order", { exact: true }).selectOption("Change tags");
    await page.getByLabel("Tags to add").fill("north");
    await asks("Change the tags of 100 consoles?", "Change");
    await page.getByText("Given to 100 consoles").waitFor();
    expect(ordered).toHaveLength(2);
    await go(page, "/consoles?tag=north");
    await page.getByText("100 consoles", { exact: true }).waitFor();
  });

  test("tell an order for too many consoles to use a rollout", async () => {
    const { page } = await openFleet(chromium, hub, token, "/consoles");
    await page.getByRole("checkbox", { name: /^All 10000 that match/ }).check();
    await page.getByLabel("Name of the app").fill("chess");
    await page.getByLabel("Order", { exact: true }).selectOption("Remove an app");
    await page.getByRole("button", { name: "Give the order" }).click();
    const dialog = page.getByRole("dialog", { name: "Remove chess from 10000 consoles?" });
    await dialog.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("use a rollout for more").waitFor();
  });

  test("count all consoles of each step of a rollout that has ended, also those that it leaves as they were", async () => {
    const ask = async (method: string, path: string, json?: unknown) =>
      (await request(hub.origin, method, path, { token, ...(json !== undefined && { json }) })).body;
    const app_id = await (await TestPublisher.on(hub)).publishApp();
    const { rollout_id } = await ask("POST", "/rollouts", {
      kind: "app",
      app_id,
      devices: { ids: ids.slice(0, 4) },
      steps: [{ percent: 50 }, { percent: 100 }],
    });
    await ask("POST", `/rollouts/${rollout_id}/cancel`);
    const { page } = await openFleet(chromium, hub, token, `/rollouts/${rollout_id}`);
    const steps = page.getByRole("list", { name: "Steps of the rollout" }).getByRole("listitem");
    for (const step of [0, 1])
      await steps.nth(step).getByText("0 of 2 done, 0 sent, 0 wait, 0 failed, 2 cancelled").waitFor();
  });

  test("show how many consoles a rollout reaches, in all and in each step, before it starts", async () => {
    const { page, errors } = await openFleet(chromium, hub, token, "/rollouts/new");
    const steps = page.getByRole("list", { name: "Consoles of each step" }).getByRole("listitem");
    await page.getByText(`It reaches ${CONSOLES} consoles, as of now.`).waitFor();
    expect(await steps.allTextContents()).toEqual([
      ...["Step 1, to 10%: 1000 consoles", "Step 2, to 100%: 9000 consoles"],
    ]);
    await page.getByLabel("Steps", { exact: true }).selectOption("1%, 10%, 50%, then all");
    await expect.poll(() => steps.count()).toBe(4);
    await page.getByLabel("Group").selectOption(HOSTILE);
    await page.getByText("It reaches 1 consoles").waitFor();
    expect((await steps.allTextContents())[0]).toBe("Step 1, to 1%: 1 consoles");
    await page.getByLabel("Group").selectOption("All consoles");
    await page.getByLabel("Kind").selectOption("Firmware");
    await page.getByLabel("Architecture").selectOption("rv32");
    await page.getByText("No console matches").waitFor();
    expect(await page.getByRole("button", { name: "Start the rollout" }).isDisabled()).toBe(true);
    await page.getByLabel("Kind").selectOption("An app");
    await page.getByLabel("Architecture").selectOption("All");
    await page.getByLabel("With this tag").fill("no such tag, for it has spaces");
    await page.getByRole("alert").getByText("bad_parameter").waitFor();
    expect(errors.filter((error) => !error.includes("400"))).toEqual([]);
  });

  const PLACES = ["/", "/consoles", "CONSOLE", "/groups", "/rollouts", "/rollouts/new", "/team"];
  const placeOf = (place: string) => (place === "CONSOLE" ? `/consoles/${ids[0]}` : place);
  for (const place of PLACES)
    test(`have no finding of axe and no horizontal scrolling from 320 to 1920 px at ${place}`, async () => {
      const { page } = await openFleet(chromium, hub, token, placeOf(place));
      await page.getByRole("heading", { level: 2 }).first().waitFor();
      await page.waitForLoadState("networkidle");
      for (const width of [320, 768, 1280, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect([width, Math.max(0, over)]).toEqual([width, 0]);
        expect(await violations(page)).toEqual([]);
      }
    });

  test("work by keyboard alone", async () => {
    const { page } = await openFleet(chromium, hub, token, "/consoles?q=console%200770");
    await page.getByText("10 consoles", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Console 07709" }).waitFor();
    expect(await walkByKeyboard(page)).toEqual({ missed: [], unmarked: [] });
    await page.getByRole("link", { name: "Console 07703" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Console 07703" }).waitFor();
  });

  test("show a viewer no button that they may not use, and no page of the team", async () => {
    const viewer = await addMember(hub, token, "viewer");
    const { page, errors } = await openFleet(chromium, hub, viewer.token, "/consoles");
    await page.getByText(`${CONSOLES} consoles`, { exact: true }).waitFor();
    for (const place of PLACES.filter((each) => each !== "/team")) {
      await go(page, placeOf(place));
      await page.waitForLoadState("networkidle");
      const buttons = await page.locator("main").getByRole("button").allTextContents();
      const allowed = /^(Clear filters|Name|Firmware|Last seen|Timeline|Show earlier)/;
      expect([place, buttons.filter((text) => !allowed.test(text))]).toEqual([place, []]);
      expect(await page.getByRole("checkbox").count()).toBe(0);
    }
    expect(await page.getByRole("link", { name: "Team" }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "New rollout" }).count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test("ask for a token, and keep none after signing out", async () => {
    const context = await chromium.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${hub.origin}/fleet/`);
    await page.getByLabel(/token of an account/).fill(token);
    await page.getByRole("button", { name: /Sign.in/ }).click();
    await page.getByRole("link", { name: "Consoles", exact: true }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel(/token of an account/).waitFor();
    expect(await page.evaluate(() => localStorage.getItem("svc/hub"))).not.toContain(token);
  });

  test("are served with a policy that runs their own script alone", async () => {
    const { headers, status } = await fetch(`${hub.origin}/fleet/`);
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });
});
