/** Members sign in by OpenID Connect in the pages of fleets, at a real server. */
import { randomUUID } from "node:crypto";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { madeAccount, type TestAccount } from "../../hub/api/people.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { OidcIssuer } from "../../hub/hosts/oidc-issuer.js";
import { freePort } from "../../hub/hosts/own-server.js";
import { request } from "../../hub/hosts/request.js";
import { walkByKeyboard } from "../hosts/accessibility.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";
import { requireFit } from "./fleet-page.js";

describe.skipIf(missesChromium)("A member in the pages of fleets", () => {
  let chromium: Chromium;
  let issuer: OidcIssuer;
  let hub: HubUnderTest;
  let url: string;
  let account: TestAccount;
  let ada: string;
  let context: BrowserContext;
  let page: Page;
  let errors: string[];

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    issuer = await OidcIssuer.start(url);
    hub = await EMBEDDED_HUB.start({
      environment: { ...issuer.environment(url), SVC_HUB_PORT: `${port}` },
    });
    chromium = await Chromium.launch();
  });
  beforeEach(async () => {
    account = await madeAccount(hub);
    ada = `ada-${randomUUID()}`;
    issuer.people.clear();
    issuer.people.set(ada, { email: `${ada}@example.com`, email_verified: true });
    context = await chromium.browser.newContext({ viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    errors = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
  });
  afterEach(({ task }) => chromium.closePages(task));
  afterAll(async () => {
    await chromium?.close();
    await hub?.stop();
    await issuer?.close();
  });

  const invite = async (role = "operator", { token } = account): Promise<string> => {
    const json = { name: "Ada", role, email: `${ada}@example.com` };
    const { status, body } = await request(url, "POST", "/account/members", { token, json });
    expect(status).toBe(201);
    return body.member_id;
  };
  const button = () => page.getByRole("link", { name: "Sign in with Example Staff" });
  const overview = () => page.getByRole("link", { name: "0 of 0 consoles" });
  const signIn = async () => {
    await page.goto(`${url}/fleet/`);
    await button().click();
    await page.getByRole("button", { name: ada }).click();
  };
  const keptToken = () =>
    page.evaluate(() => JSON.parse(localStorage.getItem("svc/hub") ?? "{}").token as string | undefined);
  const statusOf = async (token: string | undefined) =>
    (await request(url, "GET", "/account", { token })).status;
  test("signs in, joins the account, and signs out, by keyboard alone", async () => {
    await invite();
    await page.goto(`${url}/fleet/`);
    await button().waitFor();
    expect(await walkByKeyboard(page)).toEqual({ missed: [], unmarked: [] });
    await button().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: ada }).focus();
    await page.keyboard.press("Enter");
    const join = page.getByRole("button", { name: "Join as Ada, operator" });
    await join.waitFor();
    expect(await walkByKeyboard(page)).toEqual({ missed: [], unmarked: [] });
    await join.focus();
    await page.keyboard.press("Enter");
    await overview().waitFor();
    expect(page.url()).toBe(`${url}/fleet/#/`);
    const token = await keptToken();
    expect(token).toMatch(/^svcs_/);
    expect((await context.cookies()).filter(({ name }) => name.startsWith("svc_"))).toEqual([]);
    await page.reload();
    await overview().waitFor();
    await page.getByText("Ada", { exact: true }).waitFor();
    expect(errors).toEqual([]);

    await page.getByRole("button", { name: "Sign out" }).focus();
    await page.keyboard.press("Enter");
    await button().waitFor();
    expect(await keptToken()).toBeUndefined();
    await expect.poll(() => statusOf(token)).toBe(401);
  });

  test("is in with one press the next time", async () => {
    await invite();
    await signIn();
    await page.getByRole("button", { name: "Join as Ada, operator" }).click();
    await overview().waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await button().click(); // the server knows who it is
    await overview().waitFor();
    expect(errors).toEqual([]);
  });

  test("who signs out of the hub may sign out of the server too, by keyboard, and is asked who they are then", async () => {
    await invite();
    await signIn();
    await page.getByRole("button", { name: "Join as Ada, operator" }).click();
    await overview().waitFor();
    const token = await keptToken();
    const too = page.getByRole("link", { name: "Sign out of Example Staff too" });
    await page.getByRole("button", { name: "Sign out" }).click();
    await too.waitFor();
    await expect.poll(() => statusOf(token)).toBe(401);
    await requireFit(page);
    expect(await walkByKeyboard(page)).toEqual({ missed: [], unmarked: [] });
    await too.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Yes, sign me out" }).click(); // the server's own question
    await page.getByText("You are signed out").waitFor();
    await page.goto(`${url}/fleet/`);
    await button().waitFor();
    expect(await too.count()).toBe(0); // nobody has signed out since
    await button().click();
    await page.getByRole("button", { name: ada }).click();
    await overview().waitFor();
    expect(errors).toEqual([]);
  });

  test("who signs out with a token is told of no server", async () => {
    await page.goto(`${url}/fleet/`);
    await page.getByLabel(/token of an account/).fill(account.token);
    await page.keyboard.press("Enter");
    await overview().waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await button().waitFor();
    expect(await page.getByText("Sign out of Example Staff too").count()).toBe(0);
  });

  test("chooses one of several accounts", async () => {
    await invite();
    const other = await madeAccount(hub);
    await invite("viewer", other);
    await signIn();
    await page.getByRole("list", { name: "Accounts" }).getByText(other.accountId).waitFor();
    await requireFit(page);
    await page.getByRole("button", { name: "Join as Ada, viewer" }).click();
    await overview().waitFor();
    const { body } = await request(url, "GET", "/account", { token: `${await keptToken()}` });
    expect(body.account_id).toBe(other.accountId);
  });

  test("has no finding of axe and no horizontal scrolling where they sign in, and where that fails", async () => {
    await page.goto(`${url}/fleet/`);
    await button().waitFor();
    await requireFit(page);
    await button().click();
    await page.getByRole("button", { name: ada }).click();
    await page.getByRole("heading", { name: "You are no member of an account here" }).waitFor();
    await page.getByText(`${ada}@example.com`).waitFor();
    await requireFit(page);
    expect(await walkByKeyboard(page)).toEqual({ missed: [], unmarked: [] });
    await page.getByRole("link", { name: "Sign in as someone else" }).click();
    await page.getByRole("button", { name: ada }).waitFor(); // the server asks, though it knows
  });

  test("who comes to the end of a sign-in without one is told to sign in again", async () => {
    await page.goto(`${url}/fleet/#/signed-in`);
    await page.getByText("No sign-in is under way here").waitFor();
    await page.getByRole("button", { name: "Sign in again" }).click();
    await button().waitFor();
  });

  test("keeps the token that the browser has, whoever sends it through a sign-in", async () => {
    await invite();
    const kept = JSON.stringify({ address: url, token: account.token });
    await page.goto(`${url}/fleet/`);
    await button().waitFor(); // the page keeps the address of its hub first
    await page.evaluate((text) => localStorage.setItem("svc/hub", text), kept);
    await page.goto(`${url}/auth/oidc/login`);
    await page.getByRole("button", { name: ada }).click();
    await overview().waitFor();
    expect(await keptToken()).toBe(account.token);
  });

  test("is asked to sign in again once the session is over", async () => {
    const memberId = await invite();
    await signIn();
    await page.getByRole("button", { name: "Join as Ada, operator" }).click();
    await overview().waitFor();
    await request(url, "DELETE", `/account/members/${memberId}`, { token: account.token });
    await page.reload();
    await button().waitFor();
    expect(await keptToken()).toBeUndefined();
  });

  test("is offered no sign-in by a hub that has none", async () => {
    const plain = await EMBEDDED_HUB.start();
    try {
      await page.goto(`${plain.origin}/fleet/`);
      await page.getByLabel(/token of an account/).waitFor();
      await page.waitForLoadState("networkidle");
      expect(await page.getByRole("link").count()).toBe(0);
    } finally {
      await plain.stop();
    }
  });

  // Another port is another origin of the same site, whose requests carry cookies.
  for (const mode of ["cors", "no-cors"] as const)
    test(`loses no session to a page at another port that asks for it (${mode})`, async () => {
      await invite();
      await signIn();
      await page.getByRole("button", { name: "Join as Ada, operator" }).waitFor();
      const other = await context.newPage();
      await other.goto(`${issuer.url}/interaction/none`);
      const got = await other.evaluate(
        ([address, how]) =>
          fetch(`${address}`, { method: "POST", credentials: "include", mode: how as RequestMode }).then(
            async (answer) => `${answer.type} ${await answer.text()}`,
            (error) => String(error),
          ),
        [`${url}/api/v1/auth/oidc/token`, mode],
      );
      expect(got).toMatch(mode === "cors" ? /^TypeError/ : /^opaque $/);
      await page.getByRole("button", { name: "Join as Ada, operator" }).click();
      await overview().waitFor();
    });
});
