/** The pages of the team and of webhooks: what an owner does there, and what lesser roles see. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { madeAccount } from "../../hub/api/people.js";
import { addMember } from "../../hub/api/world.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { request } from "../../hub/hosts/request.js";
import { answering, isSigned, Receiver } from "../../hub/webhooks/receiver.js";
import { violations, walkByKeyboard } from "../hosts/accessibility.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";
import { go, openFleet, requireFit } from "./fleet-page.js";

const HOSTILE = `<img src=x onerror="document.title='taken'">`;
const LONG = "W".repeat(64);

/** A server that is away: the hub asks it once a member signs in. */
const SIGN_IN = {
  SVC_HUB_OIDC_ISSUER: "http://127.0.0.1:1",
  SVC_HUB_OIDC_NAME: "Example Staff",
  SVC_HUB_OIDC_CLIENT_ID: "svc-hub",
  SVC_HUB_OIDC_CLIENT_SECRET: "secret",
  SVC_HUB_PUBLIC_URL: "https://hub.example",
};

describe.skipIf(missesChromium)("The pages of the team", () => {
  let chromium: Chromium;
  let hub: HubUnderTest;
  let token: string;

  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_WEBHOOKS_PRIVATE: "on" } });
    chromium = await Chromium.launch();
  });
  beforeEach(async () => {
    token = (await madeAccount(hub)).token;
  });
  afterEach(({ task }) => chromium.closePages(task));
  afterAll(async () => {
    await chromium?.close();
    await hub?.stop();
  });

  const open = (place = "/team", of = token) => openFleet(chromium, hub, of, place);
  const ask = (method: string, path: string, json?: object) =>
    request(hub.origin, method, path, { token, ...(json && { json }) });
  const scopesOf = async (of: string) => {
    const { status, body } = await request(hub.origin, "GET", "/account", { token: of });
    return status === 200 ? body.scopes : status;
  };
  const confirm = async (page: Page, button: string, action: string) => {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("dialog").getByRole("button", { name: action, exact: true }).click();
  };

  test("add a member whose token is shown once, change the role, and remove the member", async () => {
    const { page, errors } = await open();
    await page.getByText("None yet. The account’s own token").waitFor();
    await page.getByLabel("Name of the member").fill("Ada");
    await page.getByLabel("Role", { exact: true }).selectOption("operator");
    await page.getByRole("button", { name: "Add the member" }).click();
    const added = await page.getByLabel("Token of Ada", { exact: true }).inputValue();
    expect(await scopesOf(added)).toEqual(["read", "orders", "consoles"]);
    await page.getByRole("button", { name: "Done with Token of Ada" }).click();
    await page.getByLabel("Token of Ada", { exact: true }).waitFor({ state: "detached" });
    const inputs = page.getByRole("textbox");
    expect(
      await inputs.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)),
    ).not.toContain(added);
    const members = page.getByRole("list", { name: "Members" });
    await page.getByLabel("Role of Ada", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Save role of Ada" }).click();
    await members.getByText("viewer", { exact: true }).waitFor();
    expect(await scopesOf(added)).toEqual(["read"]);
    await confirm(page, "Replace token of Ada", "Replace token");
    const renewed = await page.getByLabel("Token of Ada", { exact: true }).inputValue();
    expect([await scopesOf(added), await scopesOf(renewed)]).toEqual([401, ["read"]]);
    await confirm(page, "Remove Ada", "Remove");
    await page.getByText("None yet. The account’s own token").waitFor();
    expect(await scopesOf(renewed)).toBe(401);
    expect(errors).toEqual([]);
  });

  test("invite a member by e-mail address where the hub has sign-in", async () => {
    const other = await EMBEDDED_HUB.start({ environment: SIGN_IN });
    try {
      const owner = (await madeAccount(other)).token;
      const { page } = await openFleet(chromium, other, owner, "/team");
      await page.getByLabel("E-mail address at Example Staff").fill("ada@example.com");
      await page.getByLabel("Name of the member").fill("Ada");
      await page.getByRole("button", { name: "Add the member" }).click();
      await page.getByText("Ada is invited: tell them").waitFor();
      await page.getByRole("list", { name: "Members" }).getByText("ada@example.com, invited").waitFor();
      expect(await page.getByLabel("Token of Ada", { exact: true }).count()).toBe(0);
    } finally {
      await other.stop();
    }
  });

  test("copy a token to the clipboard", async () => {
    const { page } = await open();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByLabel("Name of the program").fill("CI");
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByRole("button", { name: "Copy Token of CI" }).click();
    await page.getByText("It is on the clipboard.").waitFor();
    const shown = await page.getByLabel("Token of CI", { exact: true }).inputValue();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
  });

  test("keep a member whose removal is cancelled", async () => {
    const member = await addMember(hub, token, "viewer");
    const { page } = await open();
    const remove = page.getByRole("list", { name: "Members" }).getByRole("button", { name: /^Remove/ });
    await remove.click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => remove.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(await scopesOf(member.token)).toEqual(["read"]);
  });

  test("create the token of a program with scopes and an end, and revoke it", async () => {
    const { page, errors } = await open();
    await page.getByLabel("Name of the program").fill("CI");
    await page.getByLabel("Valid for").selectOption("30 days");
    await page.getByRole("checkbox", { name: /^Read/ }).uncheck();
    expect(await page.getByRole("button", { name: "Create the token" }).isDisabled()).toBe(true);
    await page.getByRole("checkbox", { name: /^Give orders/ }).check();
    await page.getByRole("button", { name: "Create the token" }).click();
    const created = await page.getByLabel("Token of CI", { exact: true }).inputValue();
    expect(created).toMatch(/^svct_/);
    const [program] = (await ask("GET", "/account/tokens")).body.tokens;
    const days = (Date.parse(program.expires_at) - Date.parse(program.created_at)) / 86_400_000;
    expect([program.name, program.scopes, days]).toEqual(["CI", ["orders"], 30]);
    await page.getByRole("list", { name: "API tokens" }).getByText("orders", { exact: true }).waitFor();
    await confirm(page, "Revoke CI", "Revoke");
    await page.getByText("None yet. Each program").waitFor();
    expect(await scopesOf(created)).toBe(401);
    expect(errors).toEqual([]);
  });

  test("read the audit log page by page, newest first", async () => {
    for (let at = 0; at < 120; at++) await ask("DELETE", `/account/tokens/gone-${at}`);
    const { page, errors } = await open();
    const entries = page.getByRole("list", { name: "Audit log" }).getByRole("listitem");
    await expect.poll(() => entries.count()).toBe(50);
    await page.getByText("DELETE /account/tokens/gone-119").waitFor();
    const more = page.getByRole("button", { name: "Show earlier" });
    await more.click();
    await expect.poll(() => entries.count()).toBe(100);
    await more.click();
    await expect.poll(() => entries.count()).toBe(120);
    await page.getByText("DELETE /account/tokens/gone-0", { exact: true }).waitFor();
    expect(await more.count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test("say clearly what the hub refuses", async () => {
    const { page } = await open();
    await page.getByLabel("Name of the member").fill(LONG.repeat(2));
    await page.getByRole("button", { name: "Add the member" }).click();
    await page
      .getByRole("region", { name: "New member" })
      .getByText('"name" must have 1 to 64 characters')
      .waitFor();
    await go(page, "/webhooks");
    await page.getByLabel("Address").fill("https://user@example.com/");
    await page.getByRole("button", { name: "Add the webhook" }).click();
    await page.getByRole("alert").getByText("bad_parameter").waitFor();
  });

  test("show no form that would move once the list above it is there", async () => {
    const { page } = await open("/");
    let answer = () => {};
    const isAsked = new Promise<void>((resolve) => {
      void page.route("**/account/webhooks", async (route) => {
        resolve();
        await new Promise<void>((next) => {
          answer = next;
        });
        await route.continue();
      });
    });
    await go(page, "/webhooks");
    await isAsked;
    await page.getByRole("heading", { name: "Webhooks" }).waitFor();
    expect(await page.getByRole("button", { name: "Add the webhook" }).count()).toBe(0);
    answer();
    await page.getByRole("button", { name: "Add the webhook" }).waitFor();
  });

  test("say so when the token has lost its role meanwhile", async () => {
    const owner = await addMember(hub, token, "owner");
    const { page } = await open("/team", owner.token);
    await page.getByLabel("Name of the member").fill("Ada");
    await ask("PUT", `/account/members/${owner.id}`, { role: "viewer" });
    await page.getByRole("button", { name: "Add the member" }).click();
    const card = page.getByRole("region", { name: "New member" });
    await card.getByText('needs a token with the scope "account"').waitFor();
  });

  test("add a webhook, test it, show what became of it, replace its secret and remove it", async () => {
    const receiver = await Receiver.start();
    const { page, errors } = await open("/webhooks");
    await page.getByText("There is no webhook").waitFor();
    await page.getByLabel("Address").fill(receiver.url);
    await page.getByRole("checkbox", { name: "The account has claimed a console" }).check();
    await page.getByRole("button", { name: "Add the webhook" }).click();
    const secret = await page.getByLabel("Secret of the new webhook", { exact: true }).inputValue();
    await page.getByRole("heading", { name: receiver.url }).waitFor();
    await page.getByText("active", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Send a test to" }).click();
    const deliveries = page.getByRole("list", { name: "Deliveries to" });
    await deliveries.getByText("after 1 attempt, the last answer was 204").waitFor();
    const [received] = receiver.received;
    expect([received?.body["type"], received && isSigned(secret, received)]).toEqual(["webhook.test", true]);
    await confirm(page, "Replace secret of", "Replace secret");
    const renewed = await page.getByLabel("Secret of the webhook", { exact: true }).inputValue();
    expect(renewed).toMatch(/^whsec_/);
    await page.getByRole("button", { name: "Send a test to" }).click();
    await expect.poll(() => receiver.received.length).toBe(2);
    const [, second] = receiver.received;
    expect(second && [isSigned(secret, second), isSigned(renewed, second)]).toEqual([true, true]);
    await confirm(page, "Remove http", "Remove");
    await page.getByText("There is no webhook").waitFor();
    expect(errors).toEqual([]);
  });

  test("ask for no deliveries of a webhook that is being removed", async () => {
    const receiver = await Receiver.start();
    await ask("POST", "/account/webhooks", { url: receiver.url, events: ["device.claimed"] });
    const { page } = await open("/webhooks");
    await page.getByRole("button", { name: "Deliveries to" }).click();
    const isOfDeliveries = (request: { url(): string }) => request.url().includes("/deliveries");
    await page.waitForResponse((response) => isOfDeliveries(response.request()));
    let asked = 0;
    await page.route("**/account/webhooks/*", async (route) => {
      page.on("request", (request) => {
        if (isOfDeliveries(request)) asked += 1;
      });
      // The list of webhooks, asked for as often as the deliveries: two of its turns, which the card survives.
      for (let turn = 0; turn < 2; turn++)
        await page.waitForRequest((request) => request.url().endsWith("/account/webhooks"));
      await route.continue();
    });
    await confirm(page, "Remove http", "Remove");
    await page.getByText("There is no webhook").waitFor();
    expect(asked).toBe(0);
  });

  test("change the address and the events of a webhook, by keyboard alone", async () => {
    const [former, receiver] = [await Receiver.start(), await Receiver.start()];
    const events = ["device.claimed", "rollout.step"];
    const { secret, ...added } = (await ask("POST", "/account/webhooks", { url: former.url, events })).body;
    const { page, errors } = await open("/webhooks");
    const change = page.getByRole("button", { name: `Change ${former.url}` });
    await change.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Change the webhook" });
    const save = dialog.getByRole("button", { name: "Save" });
    expect(await save.isDisabled()).toBe(true); // nothing differs yet
    const address = dialog.getByLabel("Address");
    expect(await address.inputValue()).toBe(former.url);
    await address.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(receiver.url);
    await dialog.getByRole("checkbox", { name: "A rollout has begun its next step" }).focus();
    await page.keyboard.press("Space");
    await dialog.getByRole("checkbox", { name: "The hub has stopped a rollout" }).focus();
    await page.keyboard.press("Space");
    await address.focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("heading", { name: receiver.url }).waitFor();
    const focused = page.getByRole("button", { name: `Change ${receiver.url}` });
    await expect.poll(() => focused.evaluate((button) => button === document.activeElement)).toBe(true);
    expect((await ask("GET", "/account/webhooks")).body.webhooks).toEqual([
      { ...added, url: receiver.url, events: ["rollout.stopped", "device.claimed"] },
    ]);
    await page.getByRole("button", { name: "Send a test to" }).click();
    await expect.poll(() => receiver.received.length).toBe(1);
    const [received] = receiver.received;
    expect([received && isSigned(secret, received), former.received]).toEqual([true, []]);
    expect(errors).toEqual([]);
  });

  test("change only what was changed there, and nothing that is cancelled or refused", async () => {
    const url = "https://receiver.example/";
    const { body } = await ask("POST", "/account/webhooks", { url, events: ["device.claimed"] });
    const { page } = await open("/webhooks");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: `Change ${url}` }).click();
    await dialog.getByLabel("Address").fill("https://other.example/");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: `Change ${url}` }).click();
    expect(await dialog.getByLabel("Address").inputValue()).toBe(url);
    await dialog.getByLabel("Address").fill("https://user@other.example/");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").getByText("bad_parameter").waitFor();
    await ask("PUT", `/account/webhooks/${body.webhook_id}`, { events: ["command.failed"] }); // another owner
    await page.getByText("command.failed", { exact: true }).waitFor();
    await dialog.getByLabel("Address").fill("https://other.example/");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await ask("GET", "/account/webhooks")).body.webhooks).toMatchObject([
      { url: "https://other.example/", events: ["command.failed"] },
    ]);
  });

  test("show that the hub has disabled a webhook, and enable it", async () => {
    const receiver = await Receiver.start(answering(410));
    const { body } = await ask("POST", "/account/webhooks", {
      url: receiver.url,
      events: ["device.claimed"],
    });
    await ask("POST", `/account/webhooks/${body.webhook_id}/test`);
    const { page } = await open("/webhooks");
    await page.getByText(/^disabled/).waitFor();
    await page.getByRole("button", { name: "Enable http" }).click();
    await page.getByText("active", { exact: true }).waitFor();
  });

  test("offer nothing to roles that may not, also at an address that is typed", async () => {
    for (const role of ["viewer", "operator"] as const) {
      const { page, errors } = await open("/team", (await addMember(hub, token, role)).token);
      await page.getByText("Your token may not manage the team.").waitFor();
      await go(page, "/webhooks");
      await page.getByText("Your token may not manage webhooks.").waitFor();
      const links = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allTextContents();
      expect(links).toEqual(["Overview", "Consoles", "Groups", "Rollouts"]);
      expect(await page.locator("main").getByRole("button").count()).toBe(0);
      expect(errors).toEqual([]);
    }
  });

  test("show names of strangers as text", async () => {
    await ask("POST", "/account/members", { name: HOSTILE, role: "viewer" });
    await ask("POST", "/account/tokens", { name: HOSTILE, scopes: ["read"] });
    await ask("DELETE", `/account/tokens/${encodeURIComponent(HOSTILE)}`);
    const { page, errors } = await open();
    await page.getByRole("list", { name: "Members" }).getByText(HOSTILE, { exact: true }).waitFor();
    await page.getByRole("list", { name: "API tokens" }).getByText(HOSTILE, { exact: true }).waitFor();
    await page.getByRole("list", { name: "Audit log" }).getByText(HOSTILE).waitFor();
    expect([await page.title(), await page.locator("img").count(), errors]).toEqual(["svc fleet", 0, []]);
  });

  test("have no finding of axe and no horizontal scrolling from 320 to 1920 px, and work by keyboard", async () => {
    const member = await addMember(hub, token, "operator");
    await ask("PUT", `/account/members/${member.id}`, { name: LONG });
    await ask("POST", "/account/tokens", { name: LONG, scopes: ["read", "orders", "consoles", "webhooks"] });
    const url = `https://receiver.example/${LONG.repeat(4)}`;
    await ask("POST", "/account/webhooks", { url, events: ["device.claimed", "device.released"] });
    for (const { place, button, shown } of [
      { place: "/team", button: "Create the token", shown: "Token of Program" },
      { place: "/webhooks", button: "Add the webhook", shown: "Secret of the new webhook" },
    ]) {
      const { page } = await open(place);
      if (place === "/team") await page.getByLabel("Name of the program").fill("Program");
      else await page.getByLabel("Address").fill("https://receiver.example/");
      await page.getByRole("button", { name: button }).click();
      await page.getByLabel(shown, { exact: true }).waitFor();
      if (place === "/webhooks") await page.getByRole("button", { name: "Deliveries to" }).first().click();
      await page.waitForLoadState("networkidle");
      await requireFit(page);
      expect(await walkByKeyboard(page)).toEqual({ missed: [], unmarked: [] });
      await page
        .getByRole("button", { name: /^Remove / })
        .first()
        .focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  });

  test("have a change of a webhook that fits from 320 to 1920 px, without a finding of axe", async () => {
    const url = `https://receiver.example/${LONG.repeat(4)}`;
    await ask("POST", "/account/webhooks", { url, events: ["device.claimed"] });
    const { page } = await open("/webhooks");
    await page.getByRole("button", { name: "Change https" }).click();
    await page.getByRole("dialog").waitFor();
    await requireFit(page);
  });
});
