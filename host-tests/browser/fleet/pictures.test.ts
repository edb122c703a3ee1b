/** Pictures of the pages of fleets, as people see them on a telephone and at a desk. */
import path from "node:path";
import type { Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { TestPublisher } from "../../hub/devices/published.js";
import { insertDevices } from "../../hub/fleet/inserted-fleet.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { request } from "../../hub/hosts/request.js";
import { eventually } from "../../hub/push/channel.js";
import { withDatabase } from "../../hub/push/database-of.js";
import {
  type Behaviour,
  Console,
  type Message,
  newDevice,
  SUCCEEDS,
  succeed,
} from "../../hub/rollouts/fleet.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";
import { drawsLettersAsKept, expectKeptPage } from "../hosts/kept-pages.js";

const PICTURES = path.join(import.meta.dirname, "../../../docs/images/fleet");

const SHOPS = 240;
const DAY_MS = 24 * 3_600_000;

/** What is another one in each run is shown as one of these. */
const TIME = "2026-11-27T09:00:00.000Z";
const EXPIRY = "2027-02-25T09:00:00.000Z";
const NOW = new Date("2026-11-27T09:00:42.000Z");
const UUID = "6f1d0c1e-58a4-4c0b-9d53-2b7a8e90c1f4";
const MAC = "02:00:00:00:1A:2B";

/** In the order of the commands of the rollout: 2 in its first step, 6 in its second one. */
const RESULTS: readonly ReturnType<Behaviour>[] = [
  ...[{ success: true }, { success: true }],
  ...[{ success: true }, { success: true }, { success: false, error: "storage_full" }, { success: true }],
  ...[undefined, undefined],
];

interface KeptPage {
  /** Behind the `#`. */
  readonly place: string;
  readonly token: string;
  /** Texts that stand on it once it has every answer of the hub: at least one a list. */
  readonly shown: readonly string[];
}

interface World {
  readonly hub: HubUnderTest;
  readonly consoles: readonly Console[];
  readonly pages: Readonly<Record<string, KeptPage>>;
}

/** A fleet of shops, with a rollout that is under way. */
async function furnished(): Promise<World> {
  const hub = await EMBEDDED_HUB.start();
  const { body: account } = await request(hub.origin, "POST", "/accounts");
  const token: string = account.account_token;
  const ask = async (method: string, path: string, json?: object): Promise<Message> =>
    succeed(await request(hub.origin, method, path, { token, ...(json && { json }) })).body;
  const publisher = await TestPublisher.on(hub);
  const app_id = await publisher.publishApp("price-tags", "1.2.0");
  await withDatabase(hub, async (database) => {
    const process = await database.selectFrom("processes").select("id").executeTakeFirstOrThrow();
    const shops = Array.from({ length: SHOPS }, (_, index) => ({
      name: `Shop ${`${index + 1}`.padStart(3, "0")}`,
      arch: index % 3 === 0 ? "xtensa" : "arm",
      firmware_version: index % 4 === 0 ? "1.4.0" : "1.5.1",
      process_id: index % 5 === 0 ? null : process.id,
      last_seen_at: Date.now() - (index % 40 === 0 ? 2 * DAY_MS : 0),
    }));
    await insertDevices(database, account.account_id, shops);
  });
  const consoles: Console[] = [];
  const connect = async (name: string, tag: string, behaviour: Behaviour) => {
    const device = await newDevice(hub, token, { name, arch: "arm", firmware_version: "1.5.1" });
    await ask("PUT", `/devices/${device.deviceId}/tags`, { tags: [tag] });
    consoles.push(await Console.connect(device, behaviour, () => hub.origins));
    return device.deviceId;
  };
  const window = await connect("Shop window", "window", SUCCEEDS);
  await eventually(
    () => ask("GET", `/devices/${window}/history`),
    ({ events }) => events.length === 1, // it is recorded soon after the connection
  );
  const { command_id } = await ask("POST", `/devices/${window}/apps/${app_id}/install`, {});
  await eventually(
    () => ask("GET", `/devices/${window}/commands/${command_id}/timeline`),
    ({ steps }) => steps.at(-1)?.step === "done",
  );
  let told = 0;
  const inTurn: Behaviour = () => RESULTS[told++];
  for (let at = 1; at <= RESULTS.length; at++) await connect(`Pilot ${at}`, "pilot", inTurn);
  await ask("POST", "/account/groups", { name: "Pilots", filter: { tag: "pilot" } });
  const { rollout_id } = await ask("POST", "/rollouts", {
    kind: "app",
    app_id,
    devices: { tag: "pilot" },
    steps: [{ percent: 25 }, { percent: 100, success_percent: 50, error_percent: 50 }],
  });
  await eventually(
    () => ask("GET", `/rollouts/${rollout_id}`),
    ({ total }) => total.succeeded === 5 && total.failed === 1 && total.sent === 2,
  );
  const pages = {
    overview: { place: "/", token, shown: ["249 consoles", "0 rollouts"] },
    consoles: { place: "/consoles", token, shown: ["249 consoles", "Shop 004"] },
    console: { place: `/consoles/${window}`, token, shown: ["Shop window", "installed", "connected"] },
    rollout: { place: `/rollouts/${rollout_id}`, token, shown: ["price-tags 1.2.0", "storage_full"] },
    team: await ofTeam(hub),
  };
  return { hub, consoles, pages };
}

/** Of an account of its own, whose audit log is short. */
async function ofTeam(hub: HubUnderTest): Promise<KeptPage> {
  const { account_token: token } = (await request(hub.origin, "POST", "/accounts")).body;
  const ask = async (method: string, path: string, json?: object): Promise<Message> =>
    succeed(await request(hub.origin, method, path, { token, ...(json && { json }) })).body;
  await ask("POST", "/account/members", { name: "Ada", role: "owner" });
  await ask("POST", "/account/members", { name: "Grace", role: "operator" });
  const scopes = ["read", "orders"];
  await ask("POST", "/account/tokens", { name: "Price server", scopes, expires_in_s: 90 * 24 * 3600 });
  await eventually(
    () => ask("GET", "/account/audit"),
    ({ entries }) => entries.length === 3,
  );
  return { place: "/team", token, shown: ["Grace", "Price server", "POST /account/tokens"] };
}

describe.skipIf(missesChromium)("A page of a fleet", () => {
  let chromium: Chromium;
  let world: World;
  let isComparable: Promise<boolean> | undefined;
  beforeAll(async () => {
    world = await furnished();
    chromium = await Chromium.launch();
  });
  afterEach(({ task }) => chromium.closePages(task));
  afterAll(async () => {
    await chromium?.close();
    for (const console of world?.consoles ?? []) await console.close();
    await world?.hub.stop();
  });

  const open = async (name: string, width: number, colorScheme: "light" | "dark"): Promise<Page> => {
    const { hub, pages } = world;
    const { place, token, shown } = pages[name] as KeptPage;
    const viewport = { width, height: 800 };
    const options = { viewport, colorScheme, locale: "en-GB", timezoneId: "UTC" };
    const page = await (await chromium.browser.newContext(options)).newPage();
    await page.clock.setFixedTime(NOW);
    const kept = JSON.stringify({ address: hub.origin, token });
    await page.addInitScript(`localStorage.setItem("svc/hub", ${JSON.stringify(kept)})`);
    await page.route("**/api/v1/**", atOneTime);
    await page.goto(`${hub.origin}/fleet/#${place}`);
    for (const text of shown) await page.locator("main").getByText(text).first().waitFor();
    await page.waitForLoadState("networkidle");
    await page.evaluate(showAlways, { uuid: UUID, mac: MAC });
    return page;
  };

  for (const name of ["overview", "consoles", "console", "rollout", "team"])
    for (const width of [320, 1280])
      for (const colorScheme of ["light", "dark"] as const)
        test(`looks as it was kept: ${name}, ${width} pixels wide, ${colorScheme}`, async ({ skip }) => {
          isComparable ??= drawsLettersAsKept(chromium);
          skip(!(await isComparable), "letters look different here");
          const page = await open(name, width, colorScheme);
          await expectKeptPage(page, path.join(PICTURES, `${name}-${width}-${colorScheme}.png`));
        });
});

/** Answers the page as the hub does, with all that has happened at one time, and all that expires at another. */
async function atOneTime(route: Route): Promise<void> {
  const response = await route.fetch();
  const text = await response.text();
  const body = text.replaceAll(
    /("expires_at":)?"\d{4}-\d\d-\d\dT[\d:.]+Z"/g,
    (_, expiry: string | undefined) => (expiry === undefined ? `"${TIME}"` : `${expiry}"${EXPIRY}"`),
  );
  await route.fulfill({ response, body });
}

/** Runs in the page. */
function showAlways({ uuid, mac }: { readonly uuid: string; readonly mac: string }): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const before = node.nodeValue ?? "";
    const after = before
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, uuid)
      .replaceAll(/02(:[0-9A-F]{2}){5}/g, mac);
    if (after !== before) node.nodeValue = after;
  }
}
