/** Apps that the hub installs and uninstalls, and the results that it gets. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import type { AppInstall, AppUninstall } from "../../../../protocol/hub/push-messages.js";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import { listOf } from "../apps/emulated-apps.js";
import { type EmulatedInstaller, publisher, trustingInstaller } from "../apps/emulated-installer.js";
import { flashedStorage } from "../firmware/emulated-update.js";
import {
  HUB,
  HubRun,
  type HubRunOptions,
  type SampleFile,
  type SampleHub,
  sampleHub,
} from "./emulated-hub.js";

const urlOf = (version: string) => `${HUB}/api/v1/catalog/tetris/download?version=${version}`;

function install(command_id: string, version = "1.0.0", app_id = "tetris"): AppInstall {
  return { type: "app.install", command_id, app_id, version, download_url: urlOf(version) };
}

function uninstall(command_id: string, app_id = "tetris"): AppUninstall {
  return { type: "app.uninstall", command_id, app_id };
}

function result(of: "install" | "uninstall", command_id: string, error: string | null = null) {
  return { type: `app.${of}.result`, command_id, app_id: "tetris", success: error === null, error };
}

const signed = (bytes: Uint8Array): SampleFile => ({ bytes, signature: publisher.sign(bytes) });

let module: Uint8Array;
beforeAll(async () => {
  module = await moduleOf('(module (memory 1) (func (export "main")))');
});

let hub: SampleHub;
let console: EmulatedInstaller;
let run: HubRun;
beforeEach(() => {
  hub = sampleHub();
  for (const version of ["1.0.0", "2.0.0"])
    hub.files.set(urlOf(version), signed(packageOf(module, { version })));
  console = trustingInstaller();
  run = new HubRun(flashedStorage(), options()).connect();
});

const options = (): HubRunOptions => ({ hub, apps: console.apps, installer: console.installer });
const installed = () => listOf(console.apps).map(({ name, version }) => `${name} ${version}`);

describe("app.install", () => {
  test("is executed once if repeated, and its result is sent again, after a restart too", async () => {
    await run.say(install("one"));
    await console.apps.uninstall("tetris");
    expect(await run.say(install("one"))).toEqual([result("install", "one")]);
    expect(await run.again("software", options()).say(install("one"))).toEqual([result("install", "one")]);
    expect(hub.asked).toHaveLength(1);
    expect(installed()).toEqual([]);
  });

  test("is executed once if repeated while running", async () => {
    run.link.options.onMessage(install("one"));
    run.link.options.onMessage(install("one"));
    run.clock.advance(0);
    run.link.options.onMessage(install("one"));
    expect(await run.settle()).toEqual([result("install", "one")]);
    expect(hub.asked).toHaveLength(1);
  });

  test("sends a result that was lost with the connection over the next one", async () => {
    run.link.options.onMessage(install("one"));
    run.link.lose();
    expect(await run.settle()).toEqual([]);
    expect(installed()).toEqual(["tetris 1.0.0"]);
    run.link.open();
    expect(await run.say(install("one"))).toEqual([result("install", "one")]);
    expect(hub.asked).toHaveLength(1);
  });

  test("without an id is executed, and its result has none", async () => {
    const { command_id: _, ...command } = install("");
    const { command_id: __, ...expected } = result("install", "");
    expect(await run.say(command)).toEqual([expected]);
    expect(installed()).toEqual(["tetris 1.0.0"]);
  });

  test("without an id is not taken for that of another app while it runs", async () => {
    hub.files.set(`${HUB}/chess`, signed(packageOf(module, { name: "chess", version: "1.0.0" })));
    const { command_id: _, ...command } = install("");
    run.link.options.onMessage(command);
    run.clock.advance(0);
    run.link.options.onMessage({ ...command, app_id: "chess", download_url: `${HUB}/chess` });
    expect(await run.settle()).toMatchObject([{ app_id: "tetris" }, { app_id: "chess", success: true }]);
    expect(installed()).toEqual(["chess 1.0.0", "tetris 1.0.0"]);
  });

  test("has no result while the hub cannot be reached, and is executed once it can", async () => {
    const file = hub.files.get(urlOf("1.0.0")) as SampleFile;
    hub.files.delete(urlOf("1.0.0"));
    expect(await run.say(install("one"))).toEqual([]);
    run.clock.advance(300_000);
    expect(await run.settle()).toEqual([]);
    hub.files.set(urlOf("1.0.0"), file);
    run.clock.advance(300_000);
    expect(await run.settle()).toEqual([result("install", "one")]);
  });

  test("that cannot be executed yet does not delay other apps", async () => {
    hub.files.delete(urlOf("1.0.0"));
    expect(await run.say(install("one"))).toEqual([]);
    expect(await run.say(uninstall("two", "chess"))).toEqual([
      { ...result("uninstall", "two"), app_id: "chess" },
    ]);
  });

  test("that cannot be executed yet is superseded by a newer command for its app, with a result each time", async () => {
    await run.say(install("zero", "2.0.0"));
    hub.files.delete(urlOf("1.0.0"));
    expect(await run.say(install("one"))).toEqual([]);
    const superseded = result("install", "one", "superseded");
    expect(await run.say(uninstall("two"))).toEqual([superseded, result("uninstall", "two")]);
    expect(await run.say(install("one"))).toEqual([superseded]);
    hub.files.set(urlOf("1.0.0"), signed(packageOf(module)));
    run.clock.advance(300_000);
    expect(await run.settle()).toEqual([]);
    expect(installed()).toEqual([]);
  });

  test("that is overtaken during its download is superseded if it cannot be completed", async () => {
    let open = () => {};
    hub.gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    hub.files.delete(urlOf("1.0.0"));
    expect(await run.say(install("one"))).toEqual([]);
    expect(await run.say(install("two", "2.0.0"))).toEqual([]);
    open();
    expect(await run.settle()).toEqual([result("install", "one", "superseded"), result("install", "two")]);
    expect(installed()).toEqual(["tetris 2.0.0"]);
  });

  test("is interrupted by an upload over the cable during its download, and executed afterwards", async () => {
    let letGo = () => {};
    hub.gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    expect(await run.say(install("one"))).toEqual([]);
    const upload = run.deliver({
      parameters: { chunk: 1, total: 2 },
      body: new TextEncoder().encode("AKFW"),
    });
    expect(await upload.end()).toMatchObject({ status: 206 });
    expect(hub.closed).toEqual([urlOf("1.0.0")]);
    console.installer.begin({ requiresName: false, isNewerOnly: false, allowsDowngrade: false }).abort(); // the hub's install is gone already
    letGo();
    expect(await run.settle()).toEqual([]);
    run.uploads.close();
    run.clock.advance(300_000);
    expect(await run.settle()).toEqual([result("install", "one")]);
  });

  test("waits for a running upload, and for another install", async () => {
    const upload = run.deliver({
      transport: "http",
      body: new TextEncoder().encode("AKFW"),
    });
    expect(await run.say(install("one"))).toEqual([]);
    upload.abort();
    const job = console.installer.begin({ requiresName: false, isNewerOnly: false, allowsDowngrade: false });
    run.clock.advance(300_000);
    expect(await run.settle()).toEqual([]);
    job.abort();
    run.clock.advance(300_000);
    expect(await run.settle()).toEqual([result("install", "one")]);
  });
});

test("Many commands are executed in turn; those beyond the queue are requested over a new connection", async () => {
  const { link } = run;
  for (let number = 0; number < 12; number++) link.options.onMessage(uninstall(`${number}`, `app-${number}`));
  await run.settle();
  expect(link.takeResults().map((each) => "app_id" in each && each.app_id)).toEqual(
    Array.from({ length: 8 }, (_, number) => `app-${number}`),
  );
  expect(link.isClosed).toBe(true);
  run.link.open();
  for (let number = 8; number < 12; number++)
    run.link.options.onMessage(uninstall(`${number}`, `app-${number}`));
  expect(await run.settle()).toHaveLength(4);
  expect(run.links).toHaveLength(2);
});

test("Commands with long addresses wait up to 4096 characters together, and a single one of any length", async () => {
  const { link } = run;
  const command = (number: number): AppInstall => {
    const download_url = `${HUB}/api/v1/`.padEnd(2000, "a") + number;
    hub.files.set(download_url, new Fault("app_not_found", "There is none"));
    return { ...install(`${number}`, "1.0.0", `app-${number}`), download_url };
  };
  for (let number = 0; number < 8; number++) link.options.onMessage(command(number));
  await run.settle();
  expect([hub.asked.length, link.isClosed]).toEqual([2, true]);
  run.link.open();
  run.link.options.onMessage({ ...command(9), download_url: HUB.padEnd(5000, "/") });
  await run.settle();
  expect([hub.asked.length, run.link.isClosed]).toEqual([3, false]);
});

test("Messages that the console had no memory to read are requested over a new connection, 10 s later", async () => {
  const { link } = run;
  for (let times = 0; times < 2; times++) link.options.onMalformed(new Fault("busy", "There is no room"));
  run.clock.advance(9_999);
  expect(link.isClosed).toBe(false);
  run.clock.advance(1);
  expect([link.isClosed, run.links.length]).toEqual([true, 2]);
  run.clock.advance(60_000);
  expect(run.links).toHaveLength(2);
});

test("A malformed message is not requested again", () => {
  run.link.options.onMalformed(new Fault("bad_json", "It is none"));
  run.clock.advance(60_000);
  expect(run.link.isClosed).toBe(false);
});

test("The results of the last 16 commands are stored", async () => {
  await run.say(install("first"));
  for (let number = 0; number < 15; number++) await run.say(uninstall(`${number}`, "chess"));
  await run.say(install("first"));
  expect(hub.asked).toHaveLength(1);
  await run.say(uninstall("last", "chess"));
  await run.say(install("first"));
  expect(hub.asked).toHaveLength(2);
});

test("A result that the channel cannot accept is sent a moment later", async () => {
  run.link.isStuck = true;
  expect(await run.say(uninstall("one"))).toEqual([]);
  run.link.isStuck = false;
  run.clock.advance(1000);
  expect(run.link.takeResults()).toEqual([result("uninstall", "one")]);
});

test("A damaged record of the last commands is ignored", async () => {
  run.settings.write("svc/hub/results", '[{"type":"app.install.result"},7,');
  expect(await run.say(install("one"))).toEqual([result("install", "one")]);
  run.settings.write("svc/hub/results", '[{"type":"app.install.result"},7]');
  expect(await run.say(uninstall("two"))).toEqual([result("uninstall", "two")]);
});
