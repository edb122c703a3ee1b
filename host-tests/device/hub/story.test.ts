/**
 * The whole story, with everything that is real: a publisher, an account, a hub, two consoles. An app is published,
 * comes to both consoles, runs, is retracted and goes; then firmware comes, is tried, confirmed and reported. Everybody
 * knows one address, behind which each connection goes to another process of the hub.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { type FirmwareConsole, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { overUsb, UsbClient } from "../../hosts/usb-client.js";
import { HUBS, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { LoadBalancer } from "../../hub/hosts/load-balancer.js";
import { HubUser } from "./hub-user.js";

/** An app that runs until it is stopped. */
const SPINNING = '(module (func (export "main") (loop (br 0))))';
/** A console as its account sees it. */
interface Held {
  readonly console: FirmwareConsole;
  readonly deviceId: string;
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Two consoles, a publisher and an account on ${name}`, () => {
    let hub: HubUnderTest;
    let balancer: LoadBalancer;
    let user: HubUser;
    let consoles: Held[];

    const both = <Result>(work: (held: Held) => Promise<Result>) => Promise.all(consoles.map(work));

    async function startAndHold(mac: string): Promise<Held> {
      const flags = ["--mac", mac, "--hub", balancer.origin];
      const console = await startFirmwareConsole({ publisher: user.publisher, flags });
      return { console, deviceId: await user.hold(console) };
    }

    beforeAll(async () => {
      hub = await start();
      balancer = await LoadBalancer.start(hub.origins);
      // Over a connection of its own each request comes to another process.
      const options = { headers: { connection: "close" } };
      user = await HubUser.on(hub, { origin: () => balancer.origin, options });
      consoles = await Promise.all(["02:00:00:00:AA:01", "02:00:00:00:AA:02"].map(startAndHold));
    });
    afterAll(async () => {
      await Promise.all((consoles ?? []).map(({ console }) => console.stop()));
      await balancer?.close();
      await hub?.stop();
    });

    test("both consoles belong to the account, are online, and cannot be claimed again", async () => {
      const { body } = await user.ask("GET", "/account/devices");
      expect(body.devices.map(({ mac }: { mac: string }) => mac).sort()).toEqual([
        "02:00:00:00:AA:01",
        "02:00:00:00:AA:02",
      ]);
      await both(({ deviceId }) =>
        user.device(deviceId, ({ online, status }) => online && status?.firmware_version === "0.1.0"),
      );
    });

    test("a published app is installed on both consoles, and runs", async () => {
      const file = packageOf(await moduleOf(SPINNING), { name: "spinner", version: "1.0.0" });
      expect(await user.publishApp(file)).toMatchObject({ status: 201, body: { id: "spinner" } });
      await both(async (held) => {
        const given = await user.ask("POST", `/devices/${held.deviceId}/apps/spinner/install`);
        expect(given).toMatchObject({ status: 202, body: { state: "sent" } });
        expect(await user.ended(held.deviceId, given.body.command_id)).toMatchObject({ state: "done" });
        expect(await user.apps(held.deviceId)).toMatchObject([
          { app_id: "spinner", version: "1.0.0", state: "installed" },
        ]);
        const { http } = held.console;
        await askHttp(`${http}/api/apps/start?name=spinner`, { method: "POST" });
        expect(await getJson(`${http}/api/apps/list`)).toMatchObject([{ name: "spinner", state: "running" }]);
      });
    });

    test("the hub reports the app running once the console has reconnected", async () => {
      const [first] = consoles;
      const usb = await UsbClient.open(`${first?.console.usb}`); // over the network a hub is not forgotten
      for (const url of ["", balancer.origin])
        expect((await usb.request("POST", "/api/hub", { url })).status).toBe(200);
      await usb.close();
      await user.device(`${first?.deviceId}`, ({ status }) => status.running_apps.includes("spinner"));
    });

    test("a retracted app cannot be installed, and is uninstalled from both consoles while it runs", async () => {
      expect((await user.publish("DELETE", "/catalog/spinner")).status).toBe(204);
      await both(async (held) => {
        const refused = await user.ask("POST", `/devices/${held.deviceId}/apps/spinner/install`);
        expect(refused).toMatchObject({ status: 410, body: { error: "app_retracted" } });
        const given = await user.ask("DELETE", `/devices/${held.deviceId}/apps/spinner`);
        expect(given.status).toBe(202);
        expect(await user.ended(held.deviceId, given.body.command_id)).toMatchObject({ state: "done" });
        expect(await user.apps(held.deviceId)).toEqual([]);
        expect(await getJson(`${held.console.http}/api/apps/list`)).toEqual([]);
      });
    });

    test("firmware is staged on both consoles, tried, confirmed, and reported", async () => {
      const form = new FormData();
      const bundle = await firmwareBundle({ version: "0.2.0" }, user.publisher);
      form.set("bundle", new Blob([Buffer.from(bundle)]), "svc-0.2.0.svcfw");
      form.set("version", "0.2.0");
      form.set("arch", "native");
      form.set("notes", "What is new");
      expect(await user.publish("POST", "/firmware", form)).toMatchObject({
        status: 201,
        body: { version: "0.2.0" },
      });
      await both(async (held) => {
        const { console, deviceId } = held;
        const given = await user.ask("POST", `/devices/${deviceId}/firmware`);
        expect(given.status).toBe(202);
        const told = (state: string) =>
          user.command(deviceId, given.body.command_id, ({ progress }) => progress === state);
        await told("available");
        expect(await console.ota()).toMatchObject({ state: "idle", available: { version: "0.2.0" } });
        await overUsb(console, (usb) => usb.request("POST", "/api/cmd", { c: "ota apply" }));
        await told("staged");
        expect(await console.ota()).toMatchObject({ state: "staged", staged_version: "0.2.0" });
        const from = console.stderr.length;
        await askHttp(`${console.http}/api/reboot`, { method: "POST" });
        await console.started("update", from);
        await told("pending_confirm");
        await askHttp(`${console.http}/api/ota/confirm`, { method: "POST" });
        expect(await told("confirmed")).toMatchObject({ state: "done" });
        await user.device(
          deviceId,
          ({ firmware_version, status }) =>
            [firmware_version, status.firmware_version].join() === "0.2.0,0.2.0",
        );
      });
    });
  });
