/** Commands of the hub that the user decides about (docs/spec/device-hub.md#questions). */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AppInstall, AppUninstall, FirmwareUpdate } from "../../../../protocol/hub/push-messages.js";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import { listOf } from "../apps/emulated-apps.js";
import { type EmulatedInstaller, publisher, trustingInstaller } from "../apps/emulated-installer.js";
import { bundled, flashedStorage } from "../firmware/emulated-update.js";
import { HUB, HubRun, type HubRunOptions, type SampleHub, sampleHub } from "./emulated-hub.js";

const urlOf = (name: string, version = "1.0.0") =>
  `${HUB}/api/v1/catalog/${name}/download?version=${version}`;

function install(command_id: string, app_id = "tetris", version = "1.0.0"): AppInstall {
  return { type: "app.install", command_id, app_id, version, download_url: urlOf(app_id, version) };
}

function uninstall(command_id: string, app_id = "tetris"): AppUninstall {
  return { type: "app.uninstall", command_id, app_id };
}

const result = (command_id: string, error: string | null = null, app_id = "tetris", of = "install") => ({
  type: `app.${of}.result`,
  command_id,
  app_id,
  success: error === null,
  error,
});

let module: Uint8Array;
beforeAll(async () => {
  module = await moduleOf('(module (memory 1) (func (export "main")))');
});

let hub: SampleHub;
let console: EmulatedInstaller;
let run: HubRun;
beforeEach(() => {
  hub = sampleHub();
  for (const name of ["tetris", "chess", "dice", "clock", "bricks"])
    for (const version of ["1.0.0", "2.0.0"]) {
      const bytes = packageOf(module, { name, version });
      hub.files.set(urlOf(name, version), { bytes, signature: publisher.sign(bytes) });
    }
  console = trustingInstaller();
  run = new HubRun(flashedStorage(), options()).connect();
});

const options = (more: HubRunOptions = {}): HubRunOptions => ({
  hub,
  apps: console.apps,
  installer: console.installer,
  updates: "ask_all",
  ...more,
});
const installed = () => listOf(console.apps).map(({ name, version }) => `${name} ${version}`);
const asked = (of = run) => of.hub.questions.map(({ id }) => id);

describe("An app that the hub installs", () => {
  test("is asked about again after a restart, once the hub repeats it", async () => {
    await run.say(install("one"));
    const again = run.again("power_on", options());
    expect(asked(again)).toEqual([]);
    await again.say(install("one"));
    again.hub.answer("install-one", true);
    expect(await again.settle()).toEqual([result("one")]);
    expect(hub.asked).toHaveLength(1);
  });

  test("is not asked about again while it is retried after the answer", async () => {
    const file = hub.files.get(urlOf("tetris"));
    hub.files.delete(urlOf("tetris"));
    await run.say(install("one"));
    run.hub.answer("install-one", true);
    expect(await run.settle()).toEqual([]);
    await run.say(install("one"));
    expect(asked()).toEqual([]);
    if (file) hub.files.set(urlOf("tetris"), file);
    run.clock.advance(300_000);
    expect(await run.settle()).toEqual([result("one")]);
  });

  test("is superseded by a later command for the same app, answered or not", async () => {
    await run.say(install("one"));
    expect(await run.say(install("two", "tetris", "2.0.0"))).toEqual([result("one", "superseded")]);
    expect(asked()).toEqual(["install-two"]);

    hub.files.delete(urlOf("tetris", "2.0.0"));
    run.hub.answer("install-two", true);
    await run.settle(); // it fails for now, and waits
    expect(await run.say(uninstall("three"))).toEqual(
      [
        result("three", null, "tetris", "uninstall"), // nothing to ask: the app is not installed
      ].flatMap((ended) => [result("two", "superseded"), ended]),
    );
    expect(asked()).toEqual([]);
  });

  test("keeps its id to itself: the answer is for what the user was shown", async () => {
    await run.say(install("one", "tetris"));
    expect(await run.say(install("one", "chess"))).toEqual([]);
    const { command_id: _, ...withoutId } = install("", "dice"); // the console makes one, which the hub guesses here
    expect(await run.say(withoutId)).toEqual([]);
    expect(await run.say(install("dice-1.0.0", "bricks"))).toEqual([]);
    expect(run.hub.questions).toMatchObject([
      { id: "install-one", name: "tetris" },
      { id: "install-dice-1.0.0", name: "dice" },
    ]);
    run.hub.answer("install-one", true);
    expect(await run.settle()).toEqual([result("one")]);
    expect(installed()).toEqual(["tetris 1.0.0"]);
  });

  test("is asked about under its name if the hub's id cannot be sent back", async () => {
    const { command_id: _, ...nameless } = install("");
    await run.say(nameless);
    await run.say(install("x".repeat(65), "chess"));
    await run.say(install("a b", "dice"));
    expect(asked()).toEqual(["install-tetris-1.0.0", "install-chess-1.0.0", "install-dice-1.0.0"]);
  });

  test("is refused without a question if it cannot be installed anyway", async () => {
    expect(await run.say(install("one", "a/b"))).toMatchObject([{ error: "bad_parameter" }]);
    const bytes = packageOf(module);
    hub.files.set(urlOf("tetris", "new"), { bytes, signature: publisher.sign(bytes) });
    expect(await run.say(install("two", "tetris", "new"))).toMatchObject([{ error: "download_mismatch" }]);
    expect(asked()).toEqual([]);
  });

  test("is installed at once unless the user wants to be asked about apps", async () => {
    run.updates = "ask";
    expect(await run.say(install("one"))).toEqual([result("one")]);
    run.updates = "automatic";
    expect(await run.say(install("two", "chess"))).toEqual([result("two", null, "chess")]);
  });
});

test("An app is uninstalled once the user accepts it", async () => {
  run.updates = "ask";
  await run.say(install("one"));
  run.updates = "ask_all";
  expect(await run.say(uninstall("two"))).toEqual([]);
  expect(run.hub.questions).toEqual([{ id: "uninstall-two", kind: "uninstall", name: "tetris" }]);
  run.hub.answer("uninstall-two", true);
  expect(await run.settle()).toEqual([result("two", null, "tetris", "uninstall")]);
  expect(installed()).toEqual([]);
});

test("Four apps wait at most; the hub is asked to repeat the others once one is answered", async () => {
  const names = ["tetris", "chess", "dice", "clock", "bricks"];
  for (const name of names) await run.say(install(name, name));
  expect(asked()).toEqual(names.slice(0, 4).map((name) => `install-${name}`));
  expect(run.links).toHaveLength(1);
  run.hub.answer("install-tetris", false);
  expect(run.links).toHaveLength(2); // over a new connection the hub repeats what it has no result of
  run.link.open();
  for (const name of names) await run.say(install(name, name));
  expect(asked()).toEqual(["chess", "dice", "clock", "bricks"].map((name) => `install-${name}`));
});

test("Apps that wait keep no revoked keys waiting", async () => {
  for (const name of ["tetris", "chess", "dice", "clock"]) await run.say(install(name, name));
  expect(await run.say({ type: "keys.revoke", command_id: "r", list: "AAAA" })).toMatchObject([
    { type: "keys.revoke.result", success: false },
  ]);
});

test("What waits is executed once the user chooses that apps are not asked about", async () => {
  await run.say(install("one"));
  await run.say(install("two", "chess"));
  run.updates = "ask";
  run.hub.followPreferences();
  expect(await run.settle()).toEqual([result("one"), result("two", null, "chess")]);
  expect(asked()).toEqual([]);
});

test("With another hub, the questions of the old one are gone", async () => {
  await run.say(install("one"));
  run.connect("http://192.0.2.9");
  expect(asked()).toEqual([]);
  expect(() => run.hub.answer("install-one", true)).toThrow(/asks nothing/);
  expect(await run.settle()).toEqual([]);
});

describe("Firmware that the hub offers", () => {
  const URL = `${HUB}/api/v1/firmware/0.2.0/download`;
  const BUNDLE = bundled();
  const ORDER: FirmwareUpdate = {
    type: "firmware.update",
    command_id: "first",
    version: "0.2.0",
    download_url: URL,
    signature: Buffer.from(BUNDLE.subarray(6, 70)).toString("hex"),
    size_bytes: BUNDLE.length,
    publisher: "Example",
  };
  const states = (messages: readonly object[]) =>
    messages.map((message) => "state" in message && message.state);

  beforeEach(() => {
    hub.files.set(URL, { bytes: BUNDLE });
    run.updates = "ask";
  });

  test("is rejected if the user declines it, also when the hub repeats it after a restart", async () => {
    await run.say(ORDER);
    run.hub.answer("firmware-first", false);
    const declined = { state: "rejected", success: false, error: "declined" };
    expect(await run.settle()).toMatchObject([declined]);
    expect(run.hub.questions).toEqual([]);
    expect(run.ota.status()).not.toHaveProperty("available");
    expect(await run.say(ORDER)).toMatchObject([declined]);
    expect(await run.again("software", options({ updates: "automatic" })).say(ORDER)).toMatchObject([
      declined,
    ]);
    expect(hub.asked).toEqual([]);
    expect(states(await run.say({ ...ORDER, command_id: "second" }))).toEqual(["available"]);
    expect(asked()).toEqual(["firmware-second"]);
  });

  test("is no question where updates are automatic, nor while it is fetched", async () => {
    run.updates = "automatic";
    run.at.gate = new Promise(() => {});
    await run.say(ORDER);
    expect(run.hub.questions).toEqual([]);
    run.updates = "ask";
    expect(run.hub.questions).toEqual([]);
  });

  test("is superseded by other firmware, which is asked about in its place", async () => {
    await run.say(ORDER);
    const newer = { ...ORDER, command_id: "second", version: "0.3.0" };
    expect(await run.say(newer)).toMatchObject([
      { command_id: "first", error: "superseded" },
      { command_id: "second", state: "available" },
    ]);
    expect(() => run.hub.answer("firmware-first", true)).toThrow(/asks nothing/);
    expect(asked()).toEqual(["firmware-second"]);
  });

  test("is what the user was shown, though the hub orders other firmware with the same id", async () => {
    await run.say(ORDER);
    expect(await run.say({ ...ORDER, version: "0.3.0", publisher: "Other" })).toMatchObject([
      { command_id: "first", version: ORDER.version, state: "available" },
    ]);
    expect(run.hub.questions).toEqual([
      expect.objectContaining({ id: "firmware-first", version: ORDER.version }),
    ]);
  });

  test("comes before the apps", async () => {
    run.updates = "ask_all";
    await run.say(install("one"));
    await run.say(ORDER);
    expect(asked()).toEqual(["firmware-first", "install-one"]);
  });
});
