/**
 * The whole story, with everything that is real: a publisher, an account, a hub, two consoles. An app is published,
 * comes to both consoles, runs, is retracted and goes; then firmware comes, is tried, confirmed and reported.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addPublisher } from "../../../hub/operator.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { type FirmwareConsole, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { HUBS, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { type RequestOptions, request } from "../../hub/hosts/request.js";

/** An app that runs until it is stopped. */
const SPINNING = '(module (func (export "main") (loop (br 0))))';
/** How long anything of the story may take. */
const LIMIT_MS = 60_000;

/** A console as its account sees it. */
interface Held {
  readonly console: FirmwareConsole;
  readonly deviceId: string;
}

/** What `look` gives once `holds` says so of it. */
async function until<Seen>(look: () => Promise<Seen>, holds: (seen: Seen) => boolean): Promise<Seen> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`Still ${JSON.stringify(seen)}`);
  }
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Two consoles, a publisher and an account on ${name}`, () => {
    const publisher = new Publisher();
    let hub: HubUnderTest;
    let publisherToken: string;
    let accountToken: string;
    let consoles: Held[];

    const ask = (method: string, path: string, options: RequestOptions = {}) =>
      request(hub.origin, method, path, { token: accountToken, ...options });
    const publish = (path: string, form: FormData) => ask("POST", path, { token: publisherToken, form });
    const both = <Result>(work: (held: Held) => Promise<Result>) => Promise.all(consoles.map(work));

    async function startAndClaim(mac: string, index: number): Promise<Held> {
      const origin = hub.origins[index % hub.origins.length] as string; // each at another process
      const console = await startFirmwareConsole({ publisher, flags: ["--mac", mac, "--hub", origin] });
      const usb = await UsbClient.open(console.usb);
      const seen = await until(
        async () => (await usb.request("GET", "/api/hub")).body as { claim_code?: string },
        ({ claim_code }) => claim_code !== undefined,
      );
      await usb.close();
      const { claim_code } = seen;
      const claimed = await ask("POST", "/account/devices", { json: { claim_code } });
      expect(claimed.status).toBe(200);
      return { console, deviceId: claimed.body.device_id };
    }

    /** The command once its result is in. */
    const ended = ({ deviceId }: Held, commandId: string) =>
      until(
        async () => (await ask("GET", `/devices/${deviceId}/commands/${commandId}`)).body,
        ({ state }) => state !== "sent" && state !== "queued",
      );

    beforeAll(async () => {
      hub = await start();
      publisherToken = (await addPublisher(hub.environment, "Pixel Works", publisher.pem)).token;
      accountToken = (await request(hub.origin, "POST", "/accounts")).body.account_token;
      consoles = await Promise.all(["02:00:00:00:AA:01", "02:00:00:00:AA:02"].map(startAndClaim));
    });
    afterAll(async () => {
      await Promise.all((consoles ?? []).map(({ console }) => console.stop()));
      await hub?.stop();
    });

    test("both consoles are the account's, online, and no more to be claimed", async () => {
      const { body } = await ask("GET", "/account/devices");
      expect(body.devices.map(({ mac }: { mac: string }) => mac).sort()).toEqual([
        "02:00:00:00:AA:01",
        "02:00:00:00:AA:02",
      ]);
      await both(({ deviceId }) =>
        until(
          async () => (await ask("GET", `/devices/${deviceId}`)).body,
          ({ online, status }) => online && status?.firmware_version === "0.1.0",
        ),
      );
    });

    test("an app is published, comes to both consoles, and runs", async () => {
      const file = packageOf(await moduleOf(SPINNING), { name: "spinner", version: "1.0.0" });
      const form = new FormData();
      form.set("package", new Blob([Buffer.from(file)]), "spinner.svcpkg");
      form.set("signature", publisher.sign(file));
      expect(await publish("/catalog/publish", form)).toMatchObject({ status: 201, body: { id: "spinner" } });
      await both(async (held) => {
        const given = await ask("POST", `/devices/${held.deviceId}/apps/spinner/install`);
        expect(given).toMatchObject({ status: 202, body: { state: "sent" } });
        expect(await ended(held, given.body.command_id)).toMatchObject({ state: "done" });
        expect((await ask("GET", `/devices/${held.deviceId}/apps`)).body.apps).toMatchObject([
          { app_id: "spinner", version: "1.0.0", state: "installed" },
        ]);
        const { http } = held.console;
        await askHttp(`${http}/api/apps/start?name=spinner`, { method: "POST" });
        expect(await getJson(`${http}/api/apps/list`)).toMatchObject([{ name: "spinner", state: "running" }]);
      });
    });

    test("the hub sees it running once the console has told its status again", async () => {
      const [first] = consoles;
      const address = `${first?.console.http}/api/hub`;
      const { url } = await getJson(address);
      for (const next of ["", url])
        await askHttp(`${address}?${new URLSearchParams({ url: next })}`, { method: "POST" });
      await until(
        async () => (await ask("GET", `/devices/${first?.deviceId}`)).body.status,
        (status) => status.running_apps.includes("spinner"),
      );
    });

    test("a retracted app is to be had no more, and goes from both consoles while it runs", async () => {
      expect((await ask("DELETE", "/catalog/spinner", { token: publisherToken })).status).toBe(204);
      await both(async (held) => {
        const refused = await ask("POST", `/devices/${held.deviceId}/apps/spinner/install`);
        expect(refused).toMatchObject({ status: 410, body: { error: "app_retracted" } });
        const given = await ask("DELETE", `/devices/${held.deviceId}/apps/spinner`);
        expect(given.status).toBe(202);
        expect(await ended(held, given.body.command_id)).toMatchObject({ state: "done" });
        expect((await ask("GET", `/devices/${held.deviceId}/apps`)).body.apps).toEqual([]);
        expect(await getJson(`${held.console.http}/api/apps/list`)).toEqual([]);
      });
    });

    test("firmware comes to both consoles, is staged, tried, confirmed, and reported", async () => {
      const form = new FormData();
      const bundle = await firmwareBundle({ version: "0.2.0" }, publisher);
      form.set("bundle", new Blob([Buffer.from(bundle)]), "svc-0.2.0.svcfw");
      form.set("version", "0.2.0");
      form.set("arch", "native");
      form.set("notes", "What is new");
      expect(await publish("/firmware", form)).toMatchObject({ status: 201, body: { version: "0.2.0" } });
      await both(async (held) => {
        const { console, deviceId } = held;
        const given = await ask("POST", `/devices/${deviceId}/firmware`);
        expect(given.status).toBe(202);
        const told = (state: string) =>
          until(
            async () => (await ask("GET", `/devices/${deviceId}/commands/${given.body.command_id}`)).body,
            ({ progress }) => progress === state,
          );
        await told("available");
        expect(await console.ota()).toMatchObject({ state: "idle", available: { version: "0.2.0" } });
        await askHttp(`${console.http}/api/cmd?c=ota%20apply`);
        await told("staged");
        expect(await console.ota()).toMatchObject({ state: "staged", staged_version: "0.2.0" });
        const from = console.stderr.length;
        await askHttp(`${console.http}/api/reboot`, { method: "POST" });
        await console.started("update", from);
        await told("pending_confirm");
        await askHttp(`${console.http}/api/ota/confirm`, { method: "POST" });
        expect(await told("confirmed")).toMatchObject({ state: "done" });
        await until(
          async () => (await ask("GET", `/devices/${deviceId}`)).body,
          ({ firmware_version, status }) =>
            [firmware_version, status.firmware_version].join() === "0.2.0,0.2.0",
        );
      });
    });
  });
