/**
 * Commands as desired state (docs/spec/hub-api.md#command-row): said again on every connection until their result is
 * in.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { heldDevice, madeAccount, registeredDevice, type TestDevice } from "../api/people.js";
import { TestPublisher } from "../devices/published.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { appsOf, Channel, commandOf, ended, eventually, recordOf } from "../push/channel.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Commands on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: TestPublisher;
    let app: string;
    beforeAll(async () => {
      hub = await start();
      publisher = await TestPublisher.on(hub);
      app = await publisher.publishApp();
      await publisher.publishFirmware("3.0.0");
    });
    afterAll(() => hub.stop());

    const look = () => hub.origin;

    async function give(device: TestDevice, method: string, path: string): Promise<string> {
      const { status, body } = await request(hub.origin, method, `/devices/me${path}`, device);
      expect(status).toBe(202);
      return body.command_id;
    }
    const install = (device: TestDevice, appId = app) => give(device, "POST", `/apps/${appId}/install`);
    const uninstall = (device: TestDevice, appId = app) => give(device, "DELETE", `/apps/${appId}`);
    const update = (device: TestDevice) => give(device, "POST", "/firmware");
    const appOf = async (device: TestDevice) => (await appsOf(hub.origin, device))[0];

    test("an install names app, version and download address, at the host that the device used", async () => {
      const device = await registeredDevice(hub);
      const headers = { host: "hub.example:8080" };
      const channel = await Channel.open(hub.origin, device.token, { headers });
      const command_id = await install(device);
      expect(await channel.next("app.install")).toEqual({
        type: "app.install",
        command_id,
        app_id: app,
        version: "1.0.0",
        download_url: `http://hub.example:8080/api/v1/catalog/${app}/download?version=1.0.0`,
        size_bytes: expect.any(Number),
        publisher: expect.any(String),
      });
      await channel.close();
    });

    test("the download addresses in messages work", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      await install(device);
      await update(device);
      const { download_url: app_url } = await channel.next("app.install");
      const { download_url: bundle_url, signature } = await channel.next("firmware.update");
      const headers = { authorization: `Bearer ${device.token}` };
      expect((await fetch(app_url, { headers })).status).toBe(200);
      const bundle = new Uint8Array(await (await fetch(bundle_url, { headers })).arrayBuffer());
      expect(Buffer.from(bundle.subarray(6, 70)).toString("hex")).toBe(signature);
      await channel.close();
    });

    test("a command to any process reaches the device on any process", async () => {
      for (const origin of hub.origins) {
        const device = await registeredDevice(hub);
        const channel = await Channel.open(origin, device.token);
        for (const other of hub.origins) {
          const path = `/devices/me/apps/${app}/install`;
          const { body } = await request(other, "POST", path, device);
          expect((await channel.next("app.install")).command_id).toBe(body.command_id);
        }
        await channel.close();
      }
    });

    test("the account that holds a device can send it commands", async () => {
      const account = await madeAccount(hub);
      const device = await heldDevice(hub, account);
      const channel = await Channel.open(hub.origin, device.token);
      const path = `/devices/${device.deviceId}/apps/${app}`;
      const { body } = await request(hub.origin, "DELETE", path, account);
      const command = await channel.next("app.uninstall");
      expect(command).toEqual({ type: "app.uninstall", command_id: body.command_id, app_id: app });
      await channel.close();
    });

    test("commands for an offline device are sent in order, once per connection, until their results", async () => {
      const device = await registeredDevice(hub);
      const others = await Promise.all([1, 2, 3].map(() => publisher.publishApp()));
      const given = [];
      for (const other of others) given.push(await install(device, other));
      for (let times = 0; times < 3; times++) {
        const channel = await Channel.open(hub.origin, device.token);
        for (const command_id of given)
          expect((await channel.next("app.install")).command_id).toBe(command_id);
        await channel.close();
        expect(channel.messages).toHaveLength(1 + given.length);
      }
      const channel = await Channel.open(hub.origin, device.token);
      channel.answer(await channel.next("app.install"));
      expect(await ended(look, device, given[0] as string)).toMatchObject({ state: "done" });
      await channel.close();
      const last = await Channel.open(hub.origin, device.token);
      expect((await last.next("app.install")).command_id).toBe(given[1]);
      await last.close();
    });

    test("an app is installed, replaced and removed as the device reports", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const first = await install(device);
      channel.answer(await channel.next("app.install"));
      expect(await ended(look, device, first)).toMatchObject({ state: "done" });
      expect(await appOf(device)).toMatchObject({ app_id: app, version: "1.0.0", state: "installed" });
      const second = await uninstall(device);
      expect(await appOf(device)).toMatchObject({ version: "1.0.0", state: "removing" });
      channel.answer(await channel.next("app.uninstall"));
      await ended(look, device, second);
      expect(await appOf(device)).toBeUndefined();
      await channel.close();
    });

    test("a failed install has its error", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const given = await install(device);
      channel.answer(await channel.next("app.install"), { success: false, error: "storage_full" });
      const over = await ended(look, device, given);
      expect(over).toMatchObject({ state: "failed", error: "storage_full" });
      expect(await appOf(device)).toMatchObject({ state: "failed", error: "storage_full" });
      await channel.close();
    });

    for (const [what, error, kept] of [
      ["too long", "e".repeat(129), "e".repeat(128)],
      ["on two lines, with a NUL", "storage\nfull\0", "storage full"],
      ["half a character", "\ud800", undefined],
      ["no text", { code: "storage_full" }, '{"code":"storage_full"}'],
    ] as const)
      test(`a failed install counts as failed also when its error is ${what}`, async () => {
        const device = await registeredDevice(hub);
        const channel = await Channel.open(hub.origin, device.token);
        const given = await install(device);
        const { command_id } = await channel.next("app.install");
        channel.send({ type: "app.install.result", command_id, app_id: app, success: false, error });
        const over = await ended(look, device, given);
        expect([over.state, over.error]).toEqual(["failed", kept]);
        await channel.close();
      });

    test("an app that could not be removed stays; one that was not present disappears", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      await install(device);
      channel.answer(await channel.next("app.install"));
      for (const [error, state] of [
        ["busy", "failed"],
        ["app_not_found", undefined],
      ] as const) {
        const given = await uninstall(device);
        channel.answer(await channel.next("app.uninstall"), { success: false, error });
        expect(await ended(look, device, given)).toMatchObject({ state: "failed", error });
        expect((await appOf(device))?.state).toBe(state);
      }
      await channel.close();
    });

    test("a repeated or contradicting result changes nothing", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const given = await install(device);
      const command = await channel.next("app.install");
      channel.answer(command);
      channel.answer(command);
      await ended(look, device, given);
      channel.answer(command, { success: false, error: "busy" });
      const next = await uninstall(device, "another");
      channel.answer(await channel.next("app.uninstall"));
      await ended(look, device, next); // results of one channel are taken in order: that one is in, too
      expect(await commandOf(hub.origin, device, given)).toMatchObject({ state: "done" });
      expect(await appOf(device)).toMatchObject({ state: "installed" });
      await channel.close();
    });

    test("a result for another device's command, another app or another kind is ignored", async () => {
      const [victim, device] = [await registeredDevice(hub), await registeredDevice(hub)];
      const [command_id, own] = [await install(victim), await install(device)];
      const channel = await Channel.open(hub.origin, device.token);
      const result = { app_id: app, success: true, error: null };
      channel.send({ type: "app.install.result", ...result, command_id });
      channel.send({ type: "app.install.result", ...result, command_id: own, app_id: "another" });
      channel.send({ type: "app.uninstall.result", ...result, command_id: own });
      const last = await uninstall(device, "another");
      channel.answer(await channel.next("app.uninstall"));
      await ended(look, device, last);
      expect((await commandOf(hub.origin, victim, command_id)).state).toBe("queued");
      expect((await commandOf(hub.origin, device, own)).state).toBe("sent");
      expect((await appOf(victim)).state).toBe("requested");
      await channel.close();
    });

    test("a result without a command id belongs to the pending command", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const given = await install(device);
      await channel.next("app.install");
      channel.send({ type: "app.install.result", app_id: "another", success: false, error: "busy" });
      channel.send({ type: "app.install.result", app_id: app, success: true, error: null });
      expect(await ended(look, device, given)).toMatchObject({ state: "done" });
      await channel.close();
    });

    test("a newer command for the same app replaces the pending one", async () => {
      const device = await registeredDevice(hub);
      const first = await install(device);
      const second = await uninstall(device);
      const firmware = await update(device);
      expect((await commandOf(hub.origin, device, first)).state).toBe("replaced");
      const channel = await Channel.open(hub.origin, device.token);
      expect((await channel.next("app.uninstall")).command_id).toBe(second);
      expect((await channel.next("firmware.update")).command_id).toBe(firmware);
      expect(channel.messages).toHaveLength(3);
      await channel.close();
    });

    test("twenty concurrent commands for one app leave one pending", async () => {
      const device = await registeredDevice(hub);
      const given = await Promise.all(Array.from({ length: 20 }, () => install(device)));
      const states = await Promise.all(given.map((id) => commandOf(hub.origin, device, id)));
      expect(states.filter(({ state }) => state === "queued")).toHaveLength(1);
      expect(states.filter(({ state }) => state === "replaced")).toHaveLength(19);
    });

    test("a firmware update has the progress that the device reports, and ends with its result", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      for (const [last, state, error] of [
        ["confirmed", "done", null],
        ["rolled_back", "failed", "not_confirmed"],
        ["rejected", "failed", "signature_invalid"],
      ] as const) {
        const given = await update(device);
        const { command_id, version } = await channel.next("firmware.update");
        const say = (progress: string, success: boolean | null, why: string | null = null) =>
          channel.send({
            type: "firmware.update.result",
            command_id,
            version,
            state: progress,
            success,
            error: why,
          });
        for (const progress of ["available", "staged", "pending_confirm"]) {
          say(progress, null);
          await eventually(
            () => commandOf(hub.origin, device, given),
            (command) => command.progress === progress,
          );
        }
        say(last, state === "done", error);
        const over = await ended(look, device, given);
        expect(over).toMatchObject({ state, progress: last, ...(error && { error }) });
      }
      await channel.close();
    });

    test("for a device that does not report updates, firmware counts as confirmed when its status has the version", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const given = await update(device);
      await channel.next("firmware.update");
      channel.send({ type: "device.status", firmware_version: "2.0.0" });
      await eventually(
        () => recordOf(hub.origin, device),
        ({ firmware_version }) => firmware_version === "2.0.0",
      );
      expect((await commandOf(hub.origin, device, given)).state).toBe("sent");
      await channel.close();
      const again = await Channel.open(hub.origin, device.token);
      again.send({ type: "device.status", firmware_version: "3.0.0" });
      expect(await ended(look, device, given)).toMatchObject({ state: "done", progress: "confirmed" });
      await again.close();
    });

    test("a device that reports updates does not confirm one by its status", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const given = await update(device);
      const { command_id, version } = await channel.next("firmware.update");
      const result = { type: "firmware.update.result", command_id, version, success: null, error: null };
      channel.send({ ...result, state: "pending_confirm" });
      await eventually(
        () => commandOf(hub.origin, device, given),
        ({ progress }) => progress === "pending_confirm",
      );
      channel.send({ type: "device.status", firmware_version: version });
      await eventually(
        () => recordOf(hub.origin, device),
        ({ firmware_version }) => firmware_version === version,
      );
      channel.send({ ...result, state: "rolled_back", success: false, error: "not_confirmed" });
      expect(await ended(look, device, given)).toMatchObject({ state: "failed", progress: "rolled_back" });
      await channel.close();
    });

    test("a device has at most 256 pending commands, also when they are given at once, and gets all of them", async () => {
      const device = await registeredDevice(hub);
      const ask = (at: number) => request(hub.origin, "DELETE", `/devices/me/apps/x${at}`, device);
      for (let at = 0; at < 250; at += 50)
        await Promise.all(Array.from({ length: 50 }, (_, index) => ask(at + index)));
      const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => ask(250 + index)));
      const codes = answers.map(({ status, body }) => body.error ?? status);
      expect(codes.sort()).toEqual([...Array(6).fill(202), ...Array(6).fill("too_many_commands")]);
      expect((await ask(0)).status).toBe(202); // in the place of one that is pending
      const channel = await Channel.open(hub.origin, device.token);
      for (let at = 0; at < 256; at++) channel.answer(await channel.next("app.uninstall"));
      await eventually(
        () => ask(300),
        ({ status }) => status === 202,
      );
      await channel.close();
    });

    test("a hundred ended commands are kept, and the last result of each app", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const first = await install(device);
      channel.answer(await channel.next("app.install"));
      await ended(look, device, first);
      await channel.close();
      let last = "";
      for (let times = 0; times < 110; times++) last = await uninstall(device, "another");
      const { body } = await request(hub.origin, "GET", "/devices/me/commands", device);
      expect(body.total).toBe(102); // a pending one, a hundred that it has replaced, and the install
      expect(body.commands[0].command_id).toBe(last);
      expect((await commandOf(hub.origin, device, first)).state).toBe("done");
      await channel.close();
    });

    test("a cancelled command is not sent, and the app's state is as before", async () => {
      const device = await registeredDevice(hub);
      const given = await install(device);
      const { status, body } = await request(hub.origin, "DELETE", `/devices/me/commands/${given}`, device);
      expect(status).toBe(200);
      expect(body).toMatchObject({ command_id: given, state: "cancelled" });
      expect(await appsOf(hub.origin, device)).toEqual([]);
      const firmware = await update(device);
      const channel = await Channel.open(hub.origin, device.token);
      expect((await channel.next("firmware.update")).command_id).toBe(firmware);
      expect(channel.messages).toHaveLength(2);
      await channel.close();
    });

    test("an app counts as installed again after its removal was cancelled", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const first = await install(device);
      channel.answer(await channel.next("app.install"));
      await ended(look, device, first);
      await channel.close();
      const removal = await uninstall(device);
      await request(hub.origin, "DELETE", `/devices/me/commands/${removal}`, device);
      expect(await appOf(device)).toMatchObject({ version: "1.0.0", state: "installed" });
    });

    test("a cancelled command that the device completes stays cancelled, but the app is installed", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const given = await install(device);
      const command = await channel.next("app.install");
      await request(hub.origin, "DELETE", `/devices/me/commands/${given}`, device);
      channel.answer(command);
      await eventually(
        () => appOf(device),
        (found) => found?.state === "installed",
      );
      expect((await commandOf(hub.origin, device, given)).state).toBe("cancelled");
      await channel.close();
    });

    test("an ended command cannot be cancelled", async () => {
      const device = await registeredDevice(hub);
      const first = await install(device);
      await install(device);
      const { status, body } = await request(hub.origin, "DELETE", `/devices/me/commands/${first}`, device);
      expect([status, body.error]).toEqual([409, "command_over"]);
    });

    test("a command of another device is not found", async () => {
      const [device, other] = [await registeredDevice(hub), await registeredDevice(hub)];
      const given = await install(device);
      for (const method of ["GET", "DELETE"]) {
        const { status, body } = await request(hub.origin, method, `/devices/me/commands/${given}`, other);
        expect([status, body.error]).toEqual([404, "command_not_found"]);
      }
    });

    test("commands are listed newest first, in pages", async () => {
      const device = await registeredDevice(hub);
      const given: string[] = [];
      for (const appId of ["a", "b", "c"]) given.unshift(await uninstall(device, appId));
      const list = async (query: string) =>
        (await request(hub.origin, "GET", `/devices/me/commands${query}`, device)).body;
      const all = await list("");
      expect(all).toMatchObject({ total: 3, page: 1, per_page: 20 });
      expect(all.commands.map(({ command_id }: { command_id: string }) => command_id)).toEqual(given);
      expect(all.commands[0]).toEqual(await commandOf(hub.origin, device, given[0] as string));
      const second = await list("?page=2&per_page=2");
      expect(second.commands).toHaveLength(1);
      expect(second.commands[0].command_id).toBe(given[2]);
    });

    test("a device stays online through a command", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const given = await install(device);
      channel.answer(await channel.next("app.install"));
      await ended(look, device, given);
      expect((await recordOf(hub.origin, device)).online).toBe(true);
      await channel.close();
    });
  });
