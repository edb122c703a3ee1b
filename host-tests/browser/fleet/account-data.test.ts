/** Export and deletion of an account's data on the page of the team, for its owners (docs/spec/hub-api.md#export, #account-end). */
import { readFileSync } from "node:fs";
import type { Download, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { heldDevice, madeAccount, type TestAccount } from "../../hub/api/people.js";
import { addGroup, addMember } from "../../hub/api/world.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { request } from "../../hub/hosts/request.js";
import { withDatabase } from "../../hub/push/database-of.js";
import { walkByKeyboard } from "../hosts/accessibility.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";
import { openFleet, requireFit } from "./fleet-page.js";

const HOSTILE = `<img src=x onerror="document.title='taken'">`;

describe.skipIf(missesChromium)("The account’s data on the page of the team", () => {
  let chromium: Chromium;
  let hub: HubUnderTest;
  let account: TestAccount;

  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start();
    chromium = await Chromium.launch();
  });
  beforeEach(async () => {
    account = await madeAccount(hub);
  });
  afterEach(({ task }) => chromium.closePages(task));
  afterAll(async () => {
    await chromium?.close();
    await hub?.stop();
  });

  const open = (token = account.token) => openFleet(chromium, hub, token, "/team");
  const ask = (method: string, path: string, json?: object, token = account.token) =>
    request(hub.origin, method, path, { token, ...(json && { json }) });
  const exportButton = (page: Page) => page.getByRole("button", { name: "Export the account’s data" });
  const linesOf = async (download: Download) =>
    readFileSync(await download.path(), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  const exported = async (page: Page) => {
    const [download] = await Promise.all([page.waitForEvent("download"), exportButton(page).click()]);
    return { name: download.suggestedFilename(), lines: await linesOf(download) };
  };
  const addAudit = (entries: number) =>
    withDatabase(hub, async (database) => {
      const row = {
        account_id: account.accountId,
        at: Date.now(),
        actor: "account",
        actor_id: null,
        actor_name: null,
        action: "POST /rollouts",
        names: "{}",
        address: "",
        status: 201,
      } as const;
      for (let at = 0; at < entries; at += 100)
        await database
          .insertInto("audit")
          .values(Array.from({ length: 100 }, () => row))
          .execute();
    });
  /** Files in the browser's own directory for the hub. */
  const keptFiles = (page: Page) =>
    page.evaluate(async () => {
      const files: { readonly name: string; readonly size: number }[] = [];
      for await (const entry of (await navigator.storage.getDirectory()).values())
        if (entry.kind === "file") files.push({ name: entry.name, size: (await entry.getFile()).size });
      return files;
    });

  test("is downloaded with every list, one JSON text a line, and without tokens", async () => {
    const device = await heldDevice(hub, account);
    const member = await addMember(hub, account.token, "viewer");
    await ask("POST", "/account/members", { name: HOSTILE, role: "viewer" });
    const group = await addGroup(hub, account.token);
    const { page, errors } = await open();
    const { name, lines } = await exported(page);
    expect(name).toMatch(/^svc account export \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.jsonl$/);
    expect(lines[0].account.account_id).toBe(account.accountId);
    for (const expected of [
      { member: expect.objectContaining({ member_id: member.id }) },
      { member: expect.objectContaining({ name: HOSTILE }) },
      { group: expect.objectContaining({ group_id: group }) },
      { device: expect.objectContaining({ device_id: device.deviceId }) },
    ])
      expect(lines).toContainEqual(expected);
    await page.getByText(`${lines.length} entries are in the file.`).waitFor();
    for (const token of [account.token, member.token, device.token])
      expect(JSON.stringify(lines)).not.toContain(token);
    expect(errors).toEqual([]);
  });

  test("grows on the disk while it is read, and a file that is cancelled is not there", async () => {
    await addAudit(2000);
    const { page, errors } = await open();
    // The last pages are held back, so that the export is under way.
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/v1/rollouts?*", async (route) => {
      await held;
      await route.continue();
    });
    await exportButton(page).click();
    await page.getByText("Reading: 2,000 entries so far.").waitFor();
    expect((await keptFiles(page)).reduce((sum, { size }) => sum + size, 0)).toBeGreaterThan(100_000);
    await page.getByRole("button", { name: "Cancel the export" }).click();
    release();
    await expect.poll(() => keptFiles(page)).toEqual([]);
    await page.getByText("Reading:").waitFor({ state: "detached" });
    expect(await exportButton(page).getAttribute("aria-busy")).toBeNull();
    expect(errors).toEqual([]);
  });

  test("is downloaded also where pages have no directory of their own", async () => {
    await addAudit(1200);
    const { page } = await open();
    await page.evaluate(() =>
      Object.defineProperty(navigator, "storage", { value: undefined, configurable: true }),
    );
    const { lines } = await exported(page);
    expect(lines.filter(({ audit }) => audit)).toHaveLength(1200);
  });

  test("is not kept by the browser for longer than an hour", async () => {
    const { page } = await open();
    await exported(page);
    expect(await keptFiles(page)).toHaveLength(1);
    await page.evaluate(async () => {
      const directory = await navigator.storage.getDirectory();
      const old = `svc-download-${Date.now() - 3_700_000}-of-a-page-that-was-closed`;
      await directory.getFileHandle(old, { create: true });
      await directory.getFileHandle("of-something-else", { create: true });
    });
    await page.reload();
    await expect
      .poll(async () => (await keptFiles(page)).map(({ name }) => name).join())
      .not.toMatch(/closed/);
    expect(await keptFiles(page)).toHaveLength(2);
  });

  test("is no file if the hub refuses a part of it", async () => {
    const { page } = await open();
    await page.route("**/api/v1/rollouts?*", (route) =>
      route.fulfill({ status: 500, json: { error: "internal", message: "The hub has failed" } }),
    );
    let downloads = 0;
    page.on("download", () => downloads++);
    await exportButton(page).click();
    await page.getByRole("alert").getByText("The hub has failed").waitFor();
    expect([downloads, await keptFiles(page)]).toEqual([0, []]);
  });

  test("is deleted with the account once its id is typed, by keyboard alone", async () => {
    const device = await heldDevice(hub, account);
    const other = await madeAccount(hub);
    const { page, errors } = await open();
    await page.getByRole("button", { name: "Delete the account" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete the account?" });
    const last = dialog.getByRole("button", { name: "Delete for ever" });
    const field = dialog.getByLabel("Id of the account");
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
    for (const wrong of ["", "yes", other.accountId, account.accountId.slice(0, -1)]) {
      await field.fill(wrong);
      expect(await last.isDisabled()).toBe(true);
      await page.keyboard.press("Enter");
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect((await ask("GET", "/account")).status).toBe(200);
    await page.keyboard.press("Enter"); // the button has the focus again
    await field.fill(account.accountId);
    await page.keyboard.press("Enter");
    await page.getByText("The account is deleted").waitFor();
    await page.getByLabel(/token of an account/).waitFor();
    const kept = await page.evaluate(() => localStorage.getItem("svc/hub"));
    expect(JSON.parse(`${kept}`)).not.toHaveProperty("token");
    expect((await ask("GET", "/account")).status).toBe(401);
    expect((await ask("GET", "/account", undefined, other.token)).status).toBe(200);
    const record = await request(hub.origin, "GET", "/devices/me", { token: device.token });
    expect(record.body).toMatchObject({ claimed: false });
    expect(errors).toEqual([]);
  });

  test("is no one's to take or to delete but an owner's", async () => {
    for (const role of ["viewer", "operator"] as const) {
      const { page } = await open((await addMember(hub, account.token, role)).token);
      await page.getByText("Your token may not manage the team.").waitFor();
      expect(await exportButton(page).count()).toBe(0);
      expect(await page.getByRole("button", { name: "Delete the account" }).count()).toBe(0);
    }
  });

  test("stays if the owner has lost the right meanwhile", async () => {
    const owner = await addMember(hub, account.token, "owner");
    const { page } = await open(owner.token);
    await page.getByRole("button", { name: "Delete the account" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Id of the account").fill(account.accountId);
    await ask("PUT", `/account/members/${owner.id}`, { role: "viewer" });
    await dialog.getByRole("button", { name: "Delete for ever" }).click();
    await dialog.getByRole("alert").getByText('needs a token with the scope "account"').waitFor();
    expect((await ask("GET", "/account")).status).toBe(200);
  });

  test("has no finding of axe and fits from 320 to 1920 px, with the dialog too", async () => {
    const { page } = await open();
    const card = page.getByRole("region", { name: "The account’s data" });
    await card.waitFor();
    expect(await walkByKeyboard(page)).toEqual({ missed: [], unmarked: [] });
    await exported(page);
    await card.getByText(/entries are in the file/).waitFor();
    for (const isAsking of [false, true]) {
      if (isAsking) await page.getByRole("button", { name: "Delete the account" }).click();
      await requireFit(page);
    }
  });
});
