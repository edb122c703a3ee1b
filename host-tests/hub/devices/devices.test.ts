/** Devices in the API, and commands to them (docs/spec/hub-api.md#devices). */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { heldDevice, madeAccount, registeredDevice, type TestAccount } from "../api/people.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { appsOf, Channel, commandOf, eventually, recordOf } from "../push/channel.js";
import { TestPublisher } from "./published.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Devices on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: TestPublisher;
    let account: TestAccount;
    let app: string;
    beforeAll(async () => {
      hub = await start();
      publisher = await TestPublisher.on(hub);
      account = await madeAccount(hub);
      app = await publisher.publishApp();
      await publisher.publishFirmware("3.0.0");
    });
    afterAll(() => hub.stop());

    test("GET /devices/me has exactly the known fields", async () => {
      const device = await registeredDevice(hub);
      const { status, body } = await request(hub.origin, "GET", "/devices/me", device);
      expect(status).toBe(200);
      expect(body).toEqual({
        device_id: device.deviceId,
        name: device.registration["name"],
        mac: device.registration["mac"],
        arch: "native",
        firmware_version: "1.0.0",
        online: false,
        claimed: false,
        last_seen_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[0-9:.]+Z$/),
        status: null,
      });
    });

    test("the account that holds a device reads it by its id", async () => {
      const device = await heldDevice(hub, account);
      const { body } = await request(hub.origin, "GET", `/devices/${device.deviceId}`, account);
      expect(body).toMatchObject({ device_id: device.deviceId, claimed: true });
      expect(body).toEqual({ ...(await recordOf(hub.origin, device)), tags: [] });
    });

    const OF_DEVICE: readonly (readonly [string, string])[] = [
      ["GET", ""],
      ["GET", "/apps"],
      ["POST", "/apps/APP/install"],
      ["DELETE", "/apps/APP"],
      ["POST", "/firmware"],
      ["GET", "/commands"],
      ["GET", `/commands/${randomUUID()}`],
      ["DELETE", `/commands/${randomUUID()}`],
    ];
    for (const [method, rest] of OF_DEVICE) {
      const path = (deviceId: string) => `/devices/${deviceId}${rest.replace("APP", app)}`;

      test(`${method} /devices/{id}${rest} of another account's device is answered as for an unknown one`, async () => {
        const device = await heldDevice(hub, await madeAccount(hub));
        const unclaimed = await registeredDevice(hub);
        for (const deviceId of [device.deviceId, unclaimed.deviceId, randomUUID(), "nonsense"]) {
          const { status, body } = await request(hub.origin, method, path(deviceId), account);
          expect([status, body.error]).toEqual([404, "device_not_found"]);
        }
      });
    }

    test("an install for a disconnected device is queued, and listed as requested", async () => {
      const device = await registeredDevice(hub);
      const { status, body } = await request(hub.origin, "POST", `/devices/me/apps/${app}/install`, device);
      expect(status).toBe(202);
      expect(body).toEqual({ command_id: expect.stringMatching(/^[0-9a-f-]{36}$/), state: "queued" });
      expect(await appsOf(hub.origin, device)).toEqual([
        {
          app_id: app,
          name: app,
          version: "1.0.0",
          state: "requested",
          updated_at: expect.stringMatching(/Z$/),
        },
      ]);
      expect(await commandOf(hub.origin, device, body.command_id)).toEqual({
        command_id: body.command_id,
        state: "queued",
        kind: "install",
        app_id: app,
        version: "1.0.0",
        created_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      });
    });

    test("an install for a connected device is sent", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const { body } = await request(hub.origin, "POST", `/devices/me/apps/${app}/install`, device);
      expect(body.state).toBe("sent");
      expect((await channel.next("app.install")).command_id).toBe(body.command_id);
      await channel.close();
    });

    test("a version is named in the body or in the query", async () => {
      const twice = await publisher.publishApp();
      await publisher.publishApp(twice, "1.1.0");
      const device = await registeredDevice(hub);
      const install = async (query: string, json?: unknown) => {
        const path = `/devices/me/apps/${twice}/install${query}`;
        const { body } = await request(hub.origin, "POST", path, { ...device, json });
        return (await commandOf(hub.origin, device, body.command_id)).version;
      };
      expect(await install("")).toBe("1.1.0");
      expect(await install("?version=1.0.0")).toBe("1.0.0");
      expect(await install("", { version: "1.0.0" })).toBe("1.0.0");
      expect(await install("", {})).toBe("1.1.0");
    });

    test("an unknown app, a retracted one, or an unknown version cannot be installed", async () => {
      const device = await registeredDevice(hub);
      const retracted = await publisher.publishApp();
      await publisher.retractApp(retracted);
      for (const [path, ...refusal] of [
        ["nothing/install", 404, "app_not_found"],
        [`${retracted}/install`, 410, "app_retracted"],
        [`${app}/install?version=9.9.9`, 404, "version_not_found"],
      ] as const) {
        const { status, body } = await request(hub.origin, "POST", `/devices/me/apps/${path}`, device);
        expect([status, body.error]).toEqual(refusal);
      }
      expect(await appsOf(hub.origin, device)).toEqual([]);
    });

    test("an uninstall is possible for an app that the hub does not know", async () => {
      const device = await registeredDevice(hub);
      const { status, body } = await request(hub.origin, "DELETE", "/devices/me/apps/from-sd", device);
      expect(status).toBe(202);
      const command = await commandOf(hub.origin, device, body.command_id);
      expect(command).toMatchObject({ kind: "uninstall", app_id: "from-sd", state: "queued" });
      expect(command).not.toHaveProperty("version");
      expect(await appsOf(hub.origin, device)).toEqual([]);
    });

    test("an uninstall of an invalid app name is rejected", async () => {
      const device = await registeredDevice(hub);
      for (const appId of [".hidden", "a%20b", "a".repeat(33), "a%00b"]) {
        const { status, body } = await request(hub.origin, "DELETE", `/devices/me/apps/${appId}`, device);
        expect([status, body.error]).toEqual([400, "bad_parameter"]);
      }
    });

    test("firmware is the newest for the device's architecture, or the requested version", async () => {
      const device = await registeredDevice(hub);
      const newest = await request(hub.origin, "POST", "/devices/me/firmware", device);
      expect(newest.status).toBe(202);
      const command = await commandOf(hub.origin, device, newest.body.command_id);
      expect(command).toMatchObject({ kind: "firmware", version: "3.0.0" });
      expect(command).not.toHaveProperty("app_id");
      const json = { version: "9.9.9" };
      const { status, body } = await request(hub.origin, "POST", "/devices/me/firmware", { ...device, json });
      expect([status, body.error]).toEqual([404, "firmware_not_found"]);
    });

    test("a device is online while its channel is open, and has the time when it was last seen", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      expect((await recordOf(hub.origin, device)).online).toBe(true);
      await channel.close();
      const { last_seen_at } = await eventually(
        () => recordOf(hub.origin, device),
        ({ online }) => !online,
      );
      expect(Date.now() - Date.parse(last_seen_at)).toBeLessThan(60_000);
    });
  });
