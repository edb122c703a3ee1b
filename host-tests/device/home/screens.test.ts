/**
 * Each screen of the home screen (docs/spec/home.md#screens) on a console, reached with its buttons and compared with the
 * picture that was kept of it. A new screen is a row in the table of the console that shows it; `npm run pictures` then
 * takes its picture.
 *
 * What a console shows differently in each run is a named part of the picture (`Varying`): it is read and checked by its form,
 * and masked in the picture. All else is fixed by the scenes.
 */
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contrast } from "../../hosts/colours.js";
import { LETTER_HEIGHT, LETTER_WIDTH } from "../../hosts/console-font.js";
import type { PrintedText } from "../../hosts/display-reader.js";
import type { HomeUser, Screen } from "../../hosts/home-user.js";
import { expectKeptScreen, lineAt, type Varying } from "../../hosts/kept-screens.js";
import {
  endScene,
  MANY_APPS,
  offerFirmware,
  orderApp,
  type Scene,
  sendHalf,
  startScene,
  THREE_APPS,
} from "./scenes.js";

interface Row {
  /** Of its picture. */
  readonly screen: string;
  /** From the grid. */
  readonly way: (user: HomeUser, scene: Scene) => Promise<unknown>;
  readonly varies?: readonly Varying[];
}

async function compare(user: HomeUser, { screen: name, varies = [] }: Row): Promise<void> {
  const file = path.join(import.meta.dirname, "pictures", `${name}.png`);
  expectReadable(await expectKeptScreen(user, file, varies));
}

const widthOf = ({ text }: PrintedText) => text.length * LETTER_WIDTH;

/** docs/spec/home.md#contrast. A letter that is read has a cell of 8 by 16 pixels; no two of them share any. */
function expectReadable({ texts }: Screen): void {
  expect(texts.length).toBeGreaterThan(2);
  for (const text of texts) expect(contrast(text.ink, text.ground), text.text).toBeGreaterThanOrEqual(4.5);
  const shared = texts.flatMap((one, index) =>
    texts
      .slice(index + 1)
      .filter(
        (other) =>
          Math.abs(one.y - other.y) < LETTER_HEIGHT &&
          one.x < other.x + widthOf(other) &&
          other.x < one.x + widthOf(one),
      )
      .map((other) => `"${one.text}" and "${other.text}"`),
  );
  expect(shared).toEqual([]);
}

/** 64 installs, on a machine that runs all other tests at the same time. */
const START_LIMIT_MS = 600_000;

function showsScreens(name: string, start: () => Promise<Scene>, rows: readonly Row[]): void {
  describe(name, () => {
    let scene: Scene | undefined;
    beforeAll(async () => {
      scene = await start();
    }, START_LIMIT_MS);
    afterAll(async () => {
      if (!scene) return;
      const warnings = scene.console.stderr.filter((line) => / [WE] home: /.test(line));
      await endScene(scene);
      expect(warnings).toEqual([]);
    });
    test.each(rows)("shows $screen", async (row) => {
      if (!scene) throw new Error("The console did not start");
      await scene.user.goHome();
      await row.way(scene.user, scene);
      await compare(scene.user, row);
    });
  });
}

/** A row of the settings, from below for the last ones. */
const setting = (name: string) => (user: HomeUser) => user.openSetting(name);
const openReset = async (user: HomeUser) => {
  await user.tapUntil("select", "the settings", ({ title }) => title === "Settings");
  await user.choose("Factory reset", "Factory reset");
};
const openPassword = async (user: HomeUser) => {
  await user.openSetting("Wi-Fi");
  await user.reads("Simulated weak");
  await user.choose("Simulated locked", "Password of Simulated");
};
const done = (user: HomeUser, title: string) =>
  user.tapUntil("start", `"${title}"`, (screen) => screen.title === title);

showsScreens("A new console", startScene, [
  { screen: "grid-empty", way: async () => {} },
  {
    screen: "settings",
    way: (user) => user.tapUntil("select", "the settings", ({ title }) => title === "Settings"),
  },
  { screen: "wifi", way: setting("Wi-Fi") },
  { screen: "wifi-password", way: (user) => openPassword(user).then(() => user.type("sim")) },
  {
    screen: "keyboard-capitals",
    way: async (user) => {
      await openPassword(user);
      await user.tapUntil("y", "capitals", ({ words }) => words.includes(" Q W E "));
    },
  },
  {
    screen: "keyboard-symbols",
    way: async (user) => {
      await openPassword(user);
      await user.tapUntil("select", "symbols", ({ words }) => words.includes(" $ % & "));
    },
  },
  {
    screen: "wifi-name",
    way: async (user) => {
      await user.openSetting("Wi-Fi");
      await user.choose("Other network", "Name of the network");
    },
  },
  {
    screen: "card-failure",
    way: async (user) => {
      await openPassword(user);
      await user.type("aaa");
      await done(user, "That did not work");
    },
  },
  {
    screen: "wifi-forget-question",
    way: async (user) => {
      await user.openSetting("Wi-Fi");
      await user.choose("Forget Host", "Forget network?");
    },
  },
  {
    screen: "console",
    way: setting("Console"),
    varies: [
      { name: "address of its page as a QR code", x: 54, y: 46, width: 132, height: 132 },
      lineAt(240, "address of its page", /^http:\/\/127\.0\.0\.1:\d+\/$/),
      lineAt(276, "free memory", /^Free memory: \d+ KB$/),
    ],
  },
  { screen: "hub-none", way: setting("Hub") },
  {
    screen: "hub-address",
    way: async (user) => {
      await user.openSetting("Hub");
      await user.tapUntil("a", "a keyboard", ({ words }) => words.includes(" q w e "));
    },
  },
  { screen: "firmware", way: setting("Firmware") },
  { screen: "storage", way: setting("Storage") },
  {
    screen: "log",
    way: setting("Log"),
    varies: [{ name: "lines", x: 0, y: 46, width: 240, height: 226, shows: /\d+\.\d+ I boot: / }],
  },
  { screen: "display", way: setting("Display") },
  { screen: "at-start", way: setting("At start") },
  { screen: "updates", way: setting("Updates") },
  { screen: "reset-question", way: openReset },
  {
    screen: "reset-second-question",
    way: (user) => openReset(user).then(() => user.choose("Continue", "Really delete everything?")),
  },
  {
    screen: "wifi-wrong-password",
    way: async (user) => {
      await openPassword(user);
      await user.type("aaaaaaaa");
      await done(user, "Wi-Fi");
      await user.reads("trying again");
    },
  },
  {
    screen: "wifi-none",
    way: async (user) => {
      await user.openSetting("Wi-Fi");
      await user.choose("Forget Simulated", "Forget network?");
      await user.choose("Forget", "Wi-Fi");
    },
  },
  { screen: "grid-empty-offline", way: async () => {} },
  {
    screen: "console-offline",
    way: setting("Console"),
    varies: [lineAt(154, "free memory", /^Free memory: \d+ KB$/)],
  },
  {
    screen: "setup",
    way: async (user) => {
      await user.openSetting("Wi-Fi");
      await user.choose("Set up with a phone", "Set up with a phone");
      await user.reads("Scan the code");
    },
    varies: [
      { name: "code with the password", x: 46, y: 46, width: 148, height: 148 },
      lineAt(216, "password", /^Password [2-9a-z]{12}$/),
    ],
  },
]);

const startThreeApps = () => startScene({ apps: THREE_APPS });
const openDetails = async (user: HomeUser, app: string) => {
  await user.moveTo(app);
  await user.tapUntil("start", "the page of the app", ({ title }) => title === "App");
};

showsScreens("A console with one app", () => startScene({ apps: THREE_APPS.slice(0, 1) }), [
  { screen: "grid-one-app", way: (user) => user.reads("clock") },
]);

showsScreens("A console with three apps", startThreeApps, [
  { screen: "grid", way: (user) => user.moveTo("clock") },
  { screen: "details", way: (user) => openDetails(user, "clock") },
  {
    screen: "uninstall-question",
    way: async (user) => {
      await openDetails(user, "clock");
      await user.choose("Uninstall", "Uninstall?");
    },
  },
  {
    screen: "card-crashed",
    way: async (user) => {
      await user.moveTo("crasher");
      await user.tapUntil("a", "the card", ({ title }) => title === "An app has ended");
    },
  },
  { screen: "details-crashed", way: (user) => openDetails(user, "crasher") },
  {
    screen: "grid-running",
    way: async (user, { console }) => {
      await user.moveTo("clock");
      await user.tapUntil("a", "an app in front", ({ isHome }) => !isHome);
      await user.comeHome();
      expect((await console.system())["foreground"]).toBeUndefined();
    },
  },
  { screen: "details-running", way: (user) => openDetails(user, "clock") },
  {
    screen: "at-start-apps",
    way: async (user) => {
      await user.openSetting("At start");
      await user.moveTo("crasher");
      await user.tapUntil("a", "the mark", ({ selected }) => selected === "crasher *");
    },
  },
]);

showsScreens("A console with as many apps as it takes", () => startScene({ apps: MANY_APPS }), [
  { screen: "grid-many", way: (user) => user.reads("app-08") },
  { screen: "grid-many-end", way: (user) => user.moveTo(`${MANY_APPS.at(-1)?.name}`) },
]);

/** A card has the address in a line of its own. */
const ORDERED_BY = { name: "address of the hub", x: 16, width: 208, height: 18, shows: /127/ };
const HUB_ADDRESS = /^http:\/\/127\.0\.0\.1:\d+$/;

showsScreens("A console with a hub", () => startScene({ hasHub: true }), [
  {
    screen: "hub-claim",
    way: async (user, { hub }) => {
      await hub?.connected();
      await user.openSetting("Hub");
      await user.reads("Connected");
    },
    varies: [lineAt(224, "address of the hub", HUB_ADDRESS)], // its claim code is always the same
  },
  {
    screen: "firmware-offer",
    way: async (user, scene) => {
      await offerFirmware(scene, "0.2.0");
      await user.sees("the offer", ({ title }) => title === "New firmware");
    },
    varies: [{ ...ORDERED_BY, y: 140 }],
  },
  { screen: "firmware-available", way: setting("Firmware") },
  {
    screen: "hub-forget-question",
    way: async (user) => {
      await user.openSetting("Hub");
      await user.moveTo("Forget");
      await user.tapUntil("a", "the question", ({ words }) => words.includes("keeps its apps"));
    },
    varies: [{ ...ORDERED_BY, y: 124 }],
  },
  {
    screen: "app-question",
    way: async (user, scene) => {
      await user.ask("POST", "/api/settings", { updates: "ask_all" });
      orderApp(scene, "tetris");
      await user.sees("the question", ({ title }) => title === "Install an app?");
    },
    varies: [{ ...ORDERED_BY, y: 124 }],
  },
]);

let sendRest: () => Promise<void>;
const COUNTDOWN = lineAt(82, "time that is left", /^console goes back in \d:\d\d\.$/);

showsScreens("A console that is updated", startScene, [
  {
    screen: "firmware-receiving",
    way: async (user, scene) => {
      sendRest = await sendHalf(scene, "0.2.0");
      await user.openSetting("Firmware");
    },
  },
  {
    screen: "firmware-staged",
    way: async (user) => {
      await sendRest();
      await user.openSetting("Firmware");
    },
  },
  {
    screen: "firmware-trial",
    way: async (user, { console }) => {
      const from = console.stderr.length;
      await user.openSetting("Firmware");
      await user.tapUntil("a", "the restart", ({ words }) => !words.includes("The next start"));
      await console.started("update", from);
      await user.reads("On trial");
    },
    varies: [COUNTDOWN],
  },
  {
    screen: "firmware-kept",
    way: async (user) => {
      await user.openSetting("Firmware");
      await user.tapUntil("a", "the result", ({ words }) => words.includes("The last update was kept."));
    },
  },
]);
