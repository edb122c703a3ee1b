/**
 * Tokens that end (docs/spec/hub-api.md#hub-tokens): accounts', publishers', consoles', and those of consoles given
 * back.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { withPublishers } from "../../../hub/operator.js";
import { HubPublisher } from "../catalog/hub-publisher.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel, eventually } from "../push/channel.js";
import {
  bindingOf,
  claim,
  heldDevice,
  madeAccount,
  registeredDevice,
  registrationOf,
  type TestDevice,
} from "./people.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Tokens on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start();
    });
    afterAll(() => hub?.stop());

    const ask = (token: string, method: string, path: string, json?: unknown) =>
      request(hub.origin, method, path, { token, ...(json !== undefined && { json }) });
    /** The distinct statuses of all processes for this token. */
    const statuses = async (token: string, path: string) => {
      const answers = await Promise.all(hub.origins.map((origin) => request(origin, "GET", path, { token })));
      return [...new Set(answers.map(({ status }) => status))];
    };
    const macOf = ({ registration }: TestDevice) => `${registration["mac"]}`;
    const register = (json: unknown) => request(hub.origin, "POST", "/devices/register", { json });
    const opened = async (token: string) => {
      const channel = await Channel.open(hub.origin, token);
      onTestFinished(() => channel.cut());
      return channel;
    };
    /** As a console that makes a new token when it is asked to. */
    const rotated = async (channel: Channel, device: TestDevice, token: string = randomUUID()) => {
      const { command_id } = await channel.next("token.rotate");
      const binding = bindingOf(token, macOf(device));
      channel.send({ type: "token.rotated", command_id, device_token: token, binding });
      expect((await channel.next("token.accepted")).command_id).toBe(command_id);
      return token;
    };
    const tellsApps = async (channel: Channel, device: TestDevice) => {
      channel.send({
        type: "device.apps",
        apps: [{ name: "own", version: "1.0.0", size: 1, running: false }],
      });
      await eventually(
        async () => (await ask(device.token, "GET", "/devices/me/apps")).body.apps,
        (apps) => apps.length === 1,
      );
    };

    test("an account replaces its token, and every process rejects the old one at once", async () => {
      const { token, accountId } = await madeAccount(hub);
      expect(await statuses(token, "/account/devices")).toEqual([200]);
      const { status, body } = await ask(token, "POST", "/account/token");
      expect([status, body.account_id]).toEqual([201, accountId]);
      expect(body.account_token).toMatch(/^svca_[A-Za-z0-9_-]{43}$/);
      expect(await statuses(token, "/account/devices")).toEqual([401]);
      expect(await statuses(body.account_token, "/account/devices")).toEqual([200]);
    });

    test("an account deletes itself, and its consoles can be claimed", async () => {
      const account = await madeAccount(hub);
      const device = await heldDevice(hub, account);
      expect((await ask(account.token, "DELETE", "/account")).status).toBe(204);
      expect(await statuses(account.token, "/account/devices")).toEqual([401]);
      expect((await ask(device.token, "GET", "/devices/me")).body.claimed).toBe(false);
      const { body } = await register(device.registration);
      expect((await claim(hub, await madeAccount(hub), body.claim_code)).status).toBe(200);
    });

    test("a publisher replaces its token, deletes it, and gets a new one from the operator", async () => {
      const publisher = await HubPublisher.register(hub);
      const { body } = await publisher.request("POST", "/publisher/token");
      expect(await statuses(publisher.token, "/catalog")).toEqual([401]);
      expect(await statuses(body.publisher_token, "/catalog")).toEqual([200]);
      expect((await ask(body.publisher_token, "DELETE", "/publisher/token")).status).toBe(204);
      expect(await statuses(body.publisher_token, "/catalog")).toEqual([401]);
      const renewed = await withPublishers(hub.environment, (all) => all.renewToken(publisher.name));
      expect(await statuses(renewed.token, "/catalog")).toEqual([200]);
    });

    test("a device that announces its new token can use both until it connects with the new one", async () => {
      const device = await heldDevice(hub, await madeAccount(hub));
      const next = randomUUID();
      const json = { device_token: next, binding: bindingOf(next, macOf(device)) };
      expect((await ask(device.token, "POST", "/devices/me/token", json)).status).toBe(200);
      expect(await statuses(device.token, "/devices/me")).toEqual([200]);
      expect((await ask(next, "GET", "/devices/me")).body.device_id).toBe(device.deviceId);
      await opened(next);
      expect(await statuses(device.token, "/devices/me")).toEqual([401]);
      expect(await statuses(next, "/devices/me")).toEqual([200]);
    });

    test("a device's new token must be bound to its MAC, and belong to no other device", async () => {
      const device = await registeredDevice(hub);
      const other = await registeredDevice(hub);
      const put = (json: unknown) => ask(device.token, "POST", "/devices/me/token", json);
      const next = randomUUID();
      expect((await put({})).body.error).toBe("missing_parameter");
      expect((await put({ device_token: "x", binding: "x" })).body.error).toBe("bad_parameter");
      const foreign = { device_token: next, binding: bindingOf(next, macOf(other)) };
      expect((await put(foreign)).body.error).toBe("binding_invalid");
      const taken = { device_token: other.token, binding: bindingOf(other.token, macOf(device)) };
      expect((await put(taken)).body.error).toBe("token_bound");
    });

    test("an account requests a new token of its console, and the hub repeats the request until the console has answered", async () => {
      const account = await madeAccount(hub);
      const device = await heldDevice(hub, account);
      const path = `/devices/${device.deviceId}/token`;
      expect((await ask(account.token, "POST", path, {})).body).toEqual({ state: "queued" });
      const first = await opened(device.token);
      await first.next("token.rotate");
      first.cut(); // before it has answered
      const channel = await opened(device.token);
      const next = await rotated(channel, device);
      expect(await statuses(device.token, "/devices/me")).toEqual([200]);
      const after = await opened(next);
      const told = after.messages.map(({ type }) => type);
      expect(told).toContain("token.accepted");
      expect(told).not.toContain("token.rotate");
      expect(await statuses(device.token, "/devices/me")).toEqual([401]);
      expect((await ask(next, "GET", "/devices/me")).body).toMatchObject({ claimed: true });
    });

    test("a connected console gets the request at once", async () => {
      const account = await madeAccount(hub);
      const device = await heldDevice(hub, account);
      const channel = await opened(device.token);
      const path = `/devices/${device.deviceId}/token`;
      expect((await ask(account.token, "POST", path, {})).body).toEqual({ state: "sent" });
      await rotated(channel, device);
    });

    test("a rotation that was not requested, or for another MAC, changes nothing", async () => {
      const device = await heldDevice(hub, await madeAccount(hub));
      const channel = await opened(device.token);
      const token = randomUUID();
      const binding = bindingOf(token, macOf(device));
      channel.send({ type: "token.rotated", command_id: randomUUID(), device_token: token, binding });
      const wrong = bindingOf(token, "02:00:00:00:00:99");
      channel.send({ type: "token.rotated", command_id: randomUUID(), device_token: token, binding: wrong });
      channel.send({ type: "device.status", firmware_version: "3.2.1", running_apps: [] });
      await eventually(
        async () => (await ask(device.token, "GET", "/devices/me")).body.firmware_version,
        (version) => version === "3.2.1",
      );
      expect((await ask(token, "GET", "/devices/me")).status).toBe(401);
    });

    test("a released console replaces its token before it can be claimed", async () => {
      const seller = await madeAccount(hub);
      const device = await heldDevice(hub, seller);
      const channel = await opened(device.token);
      await tellsApps(channel, device);
      expect((await ask(seller.token, "DELETE", `/account/devices/${device.deviceId}`)).status).toBe(204);
      // Who knows the old token learns no code by it.
      expect((await register(device.registration)).body).toEqual({
        device_token: device.token,
        device_id: device.deviceId,
      });
      const next = await rotated(channel, device);
      const again = await opened(next);
      expect(again.messages.find(({ type }) => type === "device.claimed")).toMatchObject({ claimed: false });
      expect(await statuses(device.token, "/devices/me")).toEqual([401]);
      const { body } = await register(registrationOf(macOf(device), next));
      const buyer = await madeAccount(hub);
      expect((await claim(hub, buyer, body.claim_code)).body.device_id).toBe(device.deviceId);
      // The old token belongs to no device, and cannot register again beside the new one.
      expect((await register(device.registration)).body.error).toBe("token_bound");
      expect((await ask(seller.token, "GET", `/devices/${device.deviceId}`)).status).toBe(404);
    });

    test("a console that registers with its new token gets its code", async () => {
      const seller = await madeAccount(hub);
      const device = await heldDevice(hub, seller);
      const channel = await opened(device.token);
      await tellsApps(channel, device);
      await ask(seller.token, "DELETE", `/account/devices/${device.deviceId}`);
      const next = await rotated(channel, device);
      const { status, body } = await register(registrationOf(macOf(device), next));
      expect([status, body.device_id]).toEqual([200, device.deviceId]);
      expect(body.claim_code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
      expect(await statuses(device.token, "/devices/me")).toEqual([401]);
    });

    /** Of a console that knows `token.rotate`, was released, and has not connected since. */
    const givenBack = async () => {
      const seller = await madeAccount(hub);
      const device = await heldDevice(hub, seller);
      const channel = await opened(device.token);
      await tellsApps(channel, device);
      channel.cut();
      expect((await ask(seller.token, "DELETE", `/account/devices/${device.deviceId}`)).status).toBe(204);
      return device;
    };
    /** As a console that registers without getting a code, replaces its token, and then gets one. */
    const settles = async (registration: { readonly [name: string]: string }, device: TestDevice) => {
      expect((await register(registration)).body.claim_code).toBeUndefined();
      const next = await rotated(await opened(`${registration["device_token"]}`), device);
      const { body } = await register(registrationOf(macOf(device), next));
      expect((await claim(hub, await madeAccount(hub), body.claim_code)).status).toBe(200);
    };

    test("a released console keeps its record until it has replaced its token", async () => {
      const device = await givenBack();
      expect((await ask(device.token, "DELETE", "/devices/me")).body.error).toBe("forbidden");
      const next = randomUUID();
      const json = { device_token: next, binding: bindingOf(next, macOf(device)) };
      expect((await ask(device.token, "POST", "/devices/me/token", json)).body.error).toBe("forbidden");
      expect(await statuses(next, "/devices/me")).toEqual([401]);
      await settles(device.registration, device);
    });

    test("the old token gets no code either if another token was registered for the MAC", async () => {
      const device = await givenBack();
      const other = registrationOf(macOf(device));
      const taken = await register(other);
      expect([taken.status, taken.body.claim_code]).toEqual([201, undefined]);
      expect((await ask(other.device_token, "DELETE", "/devices/me")).body.error).toBe("forbidden");
      const again = await register(device.registration);
      expect([again.status, again.body.claim_code]).toEqual([201, undefined]);
      await settles(device.registration, device);
    });

    test("a console that was reset after its release gets a code once it has replaced its token", async () => {
      const device = await givenBack();
      const reset = registrationOf(macOf(device));
      expect((await register(reset)).status).toBe(201);
      await settles(reset, device);
    });

    test("the old token cannot be used with another MAC, nor as the next token of a device", async () => {
      const device = await givenBack();
      const other = registrationOf(macOf(device));
      await register(other); // the record has the old token no more
      const { registration } = await registeredDevice(hub);
      const elsewhere = registrationOf(`${registration["mac"]}`, device.token);
      expect((await register(elsewhere)).body.error).toBe("token_bound");
      const channel = await opened(other.device_token);
      const { command_id } = await channel.next("token.rotate");
      const said = { type: "token.rotated", command_id };
      const binding = bindingOf(device.token, macOf(device));
      channel.send({ ...said, device_token: device.token, binding });
      channel.send({ type: "device.status", firmware_version: "3.2.1", running_apps: [] });
      await eventually(
        async () => (await ask(other.device_token, "GET", "/devices/me")).body.firmware_version,
        (version) => version === "3.2.1",
      );
      expect(await statuses(device.token, "/devices/me")).toEqual([401]);
      expect((await register(device.registration)).body.claim_code).toBeUndefined();
      await settles(device.registration, device);
    });

    test("a token whose record was deleted, or that was replaced before the release, gets no code", async () => {
      const account = await madeAccount(hub);
      for (const way of ["account", "device", "rotation"]) {
        const device = await heldDevice(hub, account);
        const channel = await opened(device.token);
        await tellsApps(channel, device);
        channel.cut();
        const next = randomUUID();
        const json = { device_token: next, binding: bindingOf(next, macOf(device)) };
        if (way === "account") await ask(account.token, "DELETE", `/devices/${device.deviceId}`);
        else if (way === "device") await ask(device.token, "DELETE", "/devices/me");
        else {
          await ask(device.token, "POST", "/devices/me/token", json);
          await register(registrationOf(macOf(device), next));
          await ask(account.token, "DELETE", `/account/devices/${device.deviceId}`);
        }
        expect((await register(device.registration)).status, way).toBe(201);
        await settles(device.registration, device);
      }
    });

    test("a deleted record closes the console's connection on any process, and its token is rejected", async () => {
      const account = await madeAccount(hub);
      const device = await heldDevice(hub, account);
      const channel = await opened(device.token);
      expect((await ask(account.token, "DELETE", `/devices/${device.deviceId}`)).status).toBe(204);
      await channel.closed;
      expect(await statuses(device.token, "/devices/me")).toEqual([401]);
      expect((await ask(account.token, "GET", "/account/devices")).body.total).toBe(0);
      const again = await register(registrationOf(macOf(device)));
      expect([again.status, again.body.device_id === device.deviceId]).toEqual([201, false]);
    });

    test("a MAC has one record, which a new token takes over while no account holds it", async () => {
      const device = await registeredDevice(hub);
      const channel = await opened(device.token);
      const { status, body } = await register(registrationOf(macOf(device)));
      expect([status, body.device_id]).toEqual([201, device.deviceId]);
      expect(body.claim_code).not.toBe(device.claimCode);
      await channel.closed;
      expect(await statuses(device.token, "/devices/me")).toEqual([401]);
      expect((await claim(hub, await madeAccount(hub), device.claimCode)).body.error).toBe(
        "claim_code_unknown",
      );
    });

    test("a new token for the MAC of a claimed console is rejected", async () => {
      const account = await madeAccount(hub);
      const device = await heldDevice(hub, account);
      const thief = registrationOf(macOf(device));
      const { status, body } = await register(thief);
      expect([status, body.error]).toEqual([409, "token_bound"]);
      expect(await statuses(thief.device_token, "/devices/me")).toEqual([401]);
      expect((await ask(device.token, "GET", "/devices/me")).body).toMatchObject({ claimed: true });
      // Once it is released, the MAC may come with a new one: a console that was reset.
      await ask(account.token, "DELETE", `/account/devices/${device.deviceId}`);
      expect((await register(thief)).status).toBe(201);
    });

    test("twenty tokens for one MAC at once leave one record, with one of them", async () => {
      const device = await registeredDevice(hub);
      const tries = Array.from({ length: 20 }, () => registrationOf(macOf(device)));
      const answers = await Promise.all(tries.map(register));
      const ids = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.device_id));
      expect([...ids]).toEqual([device.deviceId]);
      const alive = await Promise.all(
        tries.map(({ device_token }) => ask(device_token, "GET", "/devices/me")),
      );
      expect(alive.filter(({ status }) => status === 200)).toHaveLength(1);
    });
  });
