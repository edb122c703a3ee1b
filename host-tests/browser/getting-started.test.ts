/**
 * The story of docs/getting-started.md, as it stands there, with everything that is real: a console that is set up with its
 * buttons, a hub, and the console's page in a browser as on the owner's telephone. No step uses a shell.
 *
 * Each picture of the page is what the console shows at that point; `npm run pictures` takes them anew.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { HubUser } from "../device/hub/hub-user.js";
import { type FirmwareConsole, startFirmwareConsole } from "../hosts/firmware-console.js";
import { firmwareBundle } from "../hosts/firmware-files.js";
import { HomeUser } from "../hosts/home-user.js";
import { expectKeptScreen, lineAt, type Varying } from "../hosts/kept-screens.js";
import { scanQr } from "../hosts/qr-scanner.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hub/hosts/hub-under-test.js";
import { request } from "../hub/hosts/request.js";
import { Chromium, missesChromium } from "./hosts/chromium.js";
import { ConsolePage, LOST_CONNECTIONS } from "./hosts/console-page.js";
import { ExampleApps } from "./hosts/example-apps.js";
import { openStore } from "./hosts/store.js";

const DOCS = path.join(import.meta.dirname, "../../docs");
const PAGE = "getting-started.md";
const NAME = "Console-1A2B";
const CLAIM_CODE = /^[A-Z0-9]{4}-[A-Z0-9]{4}$/;
const HUB_ADDRESS = /^http:\/\/127\.0\.0\.1:\d+$/;

/** For a step on a machine that runs all other tests at the same time; each has a dozen presses and looks. */
const LIMIT_MS = 600_000;

/** Everything that the story has. */
interface World {
  readonly hub: HubUnderTest;
  readonly publisher: HubUser;
  readonly console: FirmwareConsole;
  readonly user: HomeUser;
  readonly chromium: Chromium;
  /** On the telephone. */
  page: ConsolePage | undefined;
}

interface Step {
  /** Of the picture at its end. */
  readonly picture: string;
  readonly act: (world: World) => Promise<unknown>;
  readonly varies?: readonly Varying[];
  /** Whether the app in front has all of the display, without the line on top. */
  readonly isApp?: boolean;
}

const STEPS: readonly Step[] = [
  { picture: "switched-on", act: async () => {} },
  {
    picture: "networks",
    act: async ({ user }) => {
      await user.openSetting("Wi-Fi");
      await user.reads("Simulated weak");
      await user.moveTo("Simulated locked");
    },
  },
  {
    picture: "password",
    act: async ({ user }) => {
      await user.choose("Simulated locked", "Password of Simulated");
      await user.type("simulated");
    },
  },
  {
    picture: "joined",
    act: async ({ user }) => {
      await user.tapUntil("start", "the networks", ({ title }) => title === "Wi-Fi");
      await user.reads("joined Simulated");
    },
  },
  {
    picture: "console",
    act: async (world) => {
      const screen = await world.user.openSetting("Console");
      assert.equal(scanQr(screen.picture), `${world.console.http}/`);
      world.page = await ConsolePage.open(world.chromium, world.console.http, {
        width: 412,
        height: 915,
        tolerates: [LOST_CONNECTIONS], // the console restarts
      });
      await world.page.isConnected(/^Connected/);
    },
    varies: [
      { name: "address of its page as a QR code", x: 54, y: 46, width: 132, height: 132 },
      lineAt(240, "address of its page", /^http:\/\/127\.0\.0\.1:\d+\/$/),
      lineAt(276, "free memory", /^Free memory: \d+ KB$/),
    ],
  },
  {
    picture: "claim",
    act: async ({ user, hub }) => {
      await user.openSetting("Hub");
      await user.tapUntil("a", "keyboard", ({ words }) => words.includes("Shift"));
      await user.type(hub.origin);
      await user.tapUntil("start", "page of the hub", ({ words }) => !words.includes("Shift"));
      const screen = await user.reads("Connected");
      assert.match(`${scanQr(screen.picture)}`, CLAIM_CODE);
    },
    varies: [
      { name: "claim code, large and as a QR code", x: 0, y: 64, width: 240, height: 156 },
      lineAt(224, "address of the hub", HUB_ADDRESS),
    ],
  },
  {
    picture: "claimed",
    act: async ({ user, page }) => {
      const code = `${scanQr((await user.look()).picture)}`;
      assert.ok(page);
      const store = await openStore(page);
      await store.getByLabel("Claim code of a console").fill(code);
      await store.getByRole("button", { name: "Add", exact: true }).click();
      await store.getByRole("list", { name: "Consoles of the account" }).getByText(NAME).waitFor();
      await user.sees("page without a code", ({ words }) => !words.includes("Claim code"));
    },
    varies: [lineAt(46, "address of the hub", HUB_ADDRESS)],
  },
  {
    picture: "installed",
    act: async ({ user, page }) => {
      assert.ok(page);
      const store = await page.panel("Store");
      await store.getByRole("button", { name: "bricks", exact: true }).click();
      await page.button(/^Install it on/).click();
      const dialog = page.page.getByRole("dialog", { name: `Install bricks 1.0.0 on ${NAME}?` });
      await dialog.getByText("Draw on the display.").waitFor();
      await dialog.getByRole("button", { name: "Install", exact: true }).click();
      await user.goHome();
      await user.reads("bricks");
    },
  },
  {
    picture: "playing",
    act: ({ user }) => user.tapUntil("a", "the game", ({ title, isHome }) => !isHome && title === ""),
    isApp: true,
  },
  {
    picture: "offer",
    act: async (world) => {
      await world.user.comeHome();
      await offerFirmware(world);
      await world.user.sees("offer", ({ title }) => title === "New firmware");
    },
    varies: [
      lineAt(90, "size of the firmware", /^0\.2\.0 \(\d+ KB\) is$/),
      lineAt(154, "address of the hub", HUB_ADDRESS),
    ],
  },
  {
    picture: "staged",
    act: async ({ user }) => {
      await user.choose("Install", "Firmware");
      await user.reads("The next start tries version 0.2.0");
    },
  },
  {
    picture: "trial",
    act: async ({ user, console }) => {
      const from = console.stderr.length;
      await user.tapUntil("a", "the restart", ({ words }) => !words.includes("The next start"));
      await console.started("update", from);
      await user.reads("On trial");
    },
    varies: [lineAt(82, "time that is left", /^console goes back in \d:\d\d\.$/)],
  },
  {
    picture: "kept",
    act: ({ user }) => user.tapUntil("a", "the result", ({ words }) => words.includes("was kept")),
  },
];

/** As the hub's operator does it, for the account that the telephone has made. */
async function offerFirmware({ hub, publisher, console, page }: World): Promise<void> {
  const form = new FormData();
  const bundle = await firmwareBundle({ version: "0.2.0" }, console.publisher);
  form.set("bundle", new Blob([Buffer.from(bundle)]), "svc-0.2.0.svcfw");
  form.set("version", "0.2.0");
  form.set("arch", "native");
  form.set("notes", "What is new");
  assert.equal((await publisher.publish("POST", "/firmware", form)).status, 201);
  const kept = await page?.page.evaluate(() => localStorage.getItem("svc/hub"));
  const { token } = JSON.parse(`${kept}`);
  const { body } = await request(hub.origin, "GET", "/account/devices", { token });
  const offered = await request(hub.origin, "POST", `/devices/${body.devices[0].device_id}/firmware`, {
    token,
  });
  assert.equal(offered.status, 202);
}

async function start(): Promise<World> {
  const hub = await EMBEDDED_HUB.start();
  const publisher = await HubUser.on(hub);
  const examples = await ExampleApps.build(publisher.publisher);
  const { status } = await publisher.publishApp(await examples.bytes("bricks"));
  examples.remove();
  assert.equal(status, 201);
  const flags = ["--mac", "02:00:00:00:1A:2B"];
  const console = await startFirmwareConsole({ publisher: publisher.publisher, flags });
  const user = await HomeUser.of(console);
  // A simulated console joins the network of its computer by itself, and one out of a box none.
  await user.ask("POST", "/api/wifi", { forget: true });
  return { hub, publisher, console, user, chromium: await Chromium.launch(), page: undefined };
}

test("The page shows the pictures of the story, in its order", () => {
  const shown = readFileSync(path.join(DOCS, PAGE), "utf8").matchAll(/!\[[^\]]+\]\(([^)]+)\)/g);
  assert.deepEqual(
    [...shown].map(([, file]) => file),
    STEPS.map(({ picture }) => `images/getting-started/${picture}.png`),
  );
});

describe.skipIf(missesChromium)("A new console, its owner and a telephone", () => {
  let world: World;
  beforeAll(async () => {
    world = await start();
  }, LIMIT_MS);
  afterAll(async () => {
    await world?.page?.close();
    await world?.chromium.close();
    await world?.user.close();
    await world?.console.stop();
    await world?.hub.stop();
  });

  for (const { picture, act, varies = [], isApp } of STEPS)
    test(
      `come to: ${picture}`,
      async () => {
        await act(world);
        const file = path.join(DOCS, `images/getting-started/${picture}.png`);
        await expectKeptScreen(world.user, file, varies, isApp ? [] : undefined);
      },
      LIMIT_MS,
    );

  test("and the firmware that was kept runs", async () => {
    assert.equal((await world.console.ota()).running_version, "0.2.0");
  });
});
