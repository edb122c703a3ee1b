/**
 * Real consoles and a hub whose processes die, behind one address: nothing is lost, and nothing is done twice. Where there
 * is one process, it is started again.
 */
import { cpSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { getJson } from "../../hosts/http-client.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { appPackage, freshName } from "../../hub/catalog/hub-publisher.js";
import type { HubProcess } from "../../hub/hosts/hub-process.js";
import { BOTH_HUBS, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { LoadBalancer } from "../../hub/hosts/load-balancer.js";
import { HubUser, until } from "./hub-user.js";

const CUT_BYTES = 64 * 1024;

for (const { name, missing, start } of BOTH_HUBS)
  describe.skipIf(missing)(`A console on ${name}`, () => {
    let hub: HubUnderTest;
    let front: LoadBalancer;
    let user: HubUser;
    /** The console's own way to the hub, which a test may meddle with. */
    let balancer: LoadBalancer;
    let console: AppConsole;
    let deviceId: string;
    beforeAll(async () => {
      hub = await start();
      front = await LoadBalancer.start(hub.origins);
      const options = { headers: { connection: "close" } };
      user = await HubUser.on(hub, { origin: () => front.origin, options });
    });
    afterAll(async () => {
      await front?.close();
      await hub?.stop();
    });
    beforeEach(async () => {
      balancer = await LoadBalancer.start(hub.origins);
      onTestFinished(() => balancer.close());
      const flags = ["--hub", balancer.origin, "--config", "CONFIG_SVC_HUB_AUTO_UPDATE=on"];
      console = await startAppConsole({ publisher: user.publisher, flags });
      onTestFinished(async () => void (await console.stop()));
      deviceId = await user.hold(console);
      await user.device(deviceId, ({ online }) => online);
    });

    async function published(noiseBytes = 0): Promise<string> {
      const app = freshName();
      const { status } = await user.publishApp(await appPackage({ name: app }, { noiseBytes }));
      expect(status).toBe(201);
      return app;
    }

    async function install(app: string): Promise<string> {
      return (await user.ask("POST", `/devices/${deviceId}/apps/${app}/install`)).body.command_id;
    }

    /** The process that holds the one connection that stays: the push channel. */
    async function holder(): Promise<HubProcess> {
      const [origin] = await until(
        async () => balancer.open.map((connection) => connection.origin),
        ({ length }) => length === 1,
      );
      return hub.processes.find((process) => process.origin === origin) as HubProcess;
    }

    const cuts = () => balancer.connections.filter(({ receivedBytes }) => receivedBytes >= CUT_BYTES);
    /** They are counted a moment later. */
    const downloads = (app: string): Promise<number> =>
      until(
        async () => (await user.ask("GET", `/catalog/${app}`)).body.downloads,
        (count) => count > 0,
      );

    test("executes a command once if the hub process is killed before the result", async () => {
      const app = await published();
      const killed = await holder();
      const { someone, release } = balancer.hold();
      const command = await install(app);
      await someone; // to fetch what it was told to
      await killed.kill();
      if (hub.processes.length === 1) await killed.restart();
      else onTestFinished(() => killed.restart());
      release();
      expect(await user.ended(deviceId, command)).toMatchObject({ state: "done" });
      expect(await console.apps()).toMatchObject([{ name: app, state: "stopped" }]);
      expect(console.stderr.filter((line) => line.includes(`installed "${app}"`))).toHaveLength(1);
      expect(await user.apps(deviceId)).toMatchObject([{ app_id: app, state: "installed" }]);
      expect(await downloads(app)).toBe(1);
    });

    test("installs an app over downloads cut every 64 KiB, which count as one", async () => {
      const app = await published(640 * 1024);
      await holder();
      balancer.cutAfterBytes = CUT_BYTES;
      const command = await install(app);
      expect(await user.ended(deviceId, command)).toMatchObject({ state: "done" });
      expect(await console.apps()).toMatchObject([{ name: app, version: "1.0.0" }]);
      expect(cuts().length).toBeGreaterThanOrEqual(10);
      const { size } = new Set(cuts().map(({ origin }) => origin));
      expect(size).toBe(hub.processes.length);
      expect(await downloads(app)).toBe(1);
    });

    test("stages firmware over downloads cut every 64 KiB", async () => {
      const bundle = await firmwareBundle({ version: "0.2.0" }, user.publisher);
      const form = new FormData();
      form.set("bundle", new Blob([Uint8Array.from(bundle)]), "svc-0.2.0.svcfw");
      expect(await user.publish("POST", "/firmware", form)).toMatchObject({ status: 201 });
      await holder();
      balancer.cutAfterBytes = CUT_BYTES;
      const { body } = await user.ask("POST", `/devices/${deviceId}/firmware`);
      await user.command(deviceId, body.command_id, ({ progress }) => progress === "staged");
      expect(await getJson(`${console.http}/api/ota/status`)).toMatchObject({ staged_version: "0.2.0" });
      expect(cuts().length).toBeGreaterThanOrEqual(Math.floor(bundle.length / CUT_BYTES));
    });

    test("with a copied state takes over the connection, and the first console gets it back with hub register", async () => {
      const directory = temporaryDirectory();
      onTestFinished(() => directory.remove());
      const state = path.join(directory.path, "copy");
      cpSync(console.state, state, { recursive: true, filter: (file) => path.basename(file) !== "usb" });
      const flags = ["--hub", balancer.origin];
      const copy = await startAppConsole({ publisher: user.publisher, state, flags });
      onTestFinished(async () => void (await copy.stop()));
      await console.waitForLine(/hub: retrying the hub in 300000 ms/);
      const [app, other] = [await published(), await published()];
      expect(await user.ended(deviceId, await install(app))).toMatchObject({ state: "done" });
      expect(await copy.apps()).toMatchObject([{ name: app }]);
      await console.shell("hub register");
      await copy.waitForLine(/hub: retrying the hub in 300000 ms/);
      expect(await user.ended(deviceId, await install(other))).toMatchObject({ state: "done" });
      expect(await console.apps()).toMatchObject([{ name: other }]);
      expect(await copy.apps()).toMatchObject([{ name: app }]);
    });
  });
