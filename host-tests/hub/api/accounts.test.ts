/** Accounts and the consoles that they claim (docs/spec/hub-api.md#accounts). */
import { on } from "node:events";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { claim, heldDevice, madeAccount, registeredDevice } from "./people.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Accounts on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start();
    });
    afterAll(() => hub?.stop());

    test("can be created without a token, and receive theirs once", async () => {
      const { status, headers, body } = await request(hub.origin, "POST", "/accounts");
      expect(status).toBe(201);
      expect(Object.keys(body)).toEqual(["account_id", "account_token"]);
      expect(body.account_token).toMatch(/^svca_[A-Za-z0-9_-]{43}$/);
      expect(headers.get("cache-control")).toBe("no-store");
    });

    test("hold no console at first", async () => {
      const { token } = await madeAccount(hub);
      const { status, body } = await request(hub.origin, "GET", "/account/devices", { token });
      expect(status).toBe(200);
      expect(body).toEqual({ total: 0, page: 1, per_page: 20, devices: [] });
    });

    test("claim a console by its code, and get its record", async () => {
      const account = await madeAccount(hub);
      const device = await registeredDevice(hub);
      const { status, body } = await claim(hub, account, device.claimCode);
      expect(status).toBe(200);
      const me = await request(hub.origin, "GET", "/devices/me", { token: device.token });
      expect(body).toEqual(me.body);
      expect(body).toMatchObject({ device_id: device.deviceId, claimed: true, online: false });
      const list = await request(hub.origin, "GET", "/account/devices", account);
      expect(list.body).toEqual({ total: 1, page: 1, per_page: 20, devices: [{ ...me.body, tags: [] }] });
      const held = await request(hub.origin, "GET", `/devices/${device.deviceId}`, account);
      expect(held.body).toEqual({ ...me.body, tags: [] });
    });

    for (const { how, typed } of [
      { how: "in small letters", typed: (code: string) => code.toLowerCase() },
      { how: "without the dash", typed: (code: string) => code.replace("-", "") },
      { how: "with spaces", typed: (code: string) => ` ${code.replace("-", " ")} ` },
    ])
      test(`claim by a code typed ${how}`, async () => {
        const device = await registeredDevice(hub);
        expect((await claim(hub, await madeAccount(hub), typed(device.claimCode))).status).toBe(200);
      });

    test("claim any number of consoles at the same time", async () => {
      const account = await madeAccount(hub);
      const devices = await Promise.all(Array.from({ length: 30 }, () => registeredDevice(hub)));
      const claims = await Promise.all(devices.map(({ claimCode }) => claim(hub, account, claimCode)));
      expect(claims.filter(({ status }) => status !== 200)).toEqual([]);
    });

    test("cannot claim a console by a used code", async () => {
      const device = await registeredDevice(hub);
      expect((await claim(hub, await madeAccount(hub), device.claimCode)).status).toBe(200);
      const { status, body } = await claim(hub, await madeAccount(hub), device.claimCode);
      expect(status).toBe(404);
      expect(body.error).toBe("claim_code_unknown");
    });

    test("compete for a code, and exactly one gets the console", async () => {
      const accounts = await Promise.all([madeAccount(hub), madeAccount(hub), madeAccount(hub)]);
      const device = await registeredDevice(hub);
      const answers = await Promise.all(accounts.map((account) => claim(hub, account, device.claimCode)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
      const winner = accounts[answers.findIndex(({ status }) => status === 200)];
      for (const account of accounts) {
        const { body } = await request(hub.origin, "GET", "/account/devices", account);
        expect(body.total).toBe(account === winner ? 1 : 0);
      }
    });

    test("claim many consoles at once, and list them in pages", async () => {
      const account = await madeAccount(hub);
      const devices = await Promise.all(Array.from({ length: 25 }, () => registeredDevice(hub)));
      const answers = await Promise.all(devices.map(({ claimCode }) => claim(hub, account, claimCode)));
      expect(answers.map(({ status }) => status)).toEqual(devices.map(() => 200));
      const ids: string[] = [];
      for (const page of [1, 2, 3]) {
        const path = `/account/devices?page=${page}&per_page=10`;
        const { body } = await request(hub.origin, "GET", path, account);
        expect(body).toMatchObject({ total: 25, page, per_page: 10 });
        expect(body.devices).toHaveLength(page < 3 ? 10 : 5);
        for (const device of body.devices) ids.push(device.device_id);
      }
      expect(ids.sort()).toEqual(devices.map(({ deviceId }) => deviceId).sort());
      const past = await request(hub.origin, "GET", "/account/devices?page=4&per_page=10", account);
      expect(past.body.devices).toEqual([]);
    });

    for (const query of ["page=0", "per_page=0", "per_page=101", "page=x"])
      test(`cannot list consoles with ${query}`, async () => {
        const account = await madeAccount(hub);
        const { status, body } = await request(hub.origin, "GET", `/account/devices?${query}`, account);
        expect(status).toBe(400);
        expect(body.error).toBe("bad_parameter");
      });

    test("cannot claim without a code", async () => {
      const account = await madeAccount(hub);
      const { status, body } = await request(hub.origin, "POST", "/account/devices", {
        ...account,
        json: {},
      });
      expect(status).toBe(400);
      expect(body.error).toBe("missing_parameter");
    });

    test("release a console, which then gets a new code and is unknown to them", async () => {
      const account = await madeAccount(hub);
      const device = await heldDevice(hub, account);
      const path = `/account/devices/${device.deviceId}`;
      expect((await request(hub.origin, "DELETE", path, account)).status).toBe(204);
      expect((await request(hub.origin, "GET", `/devices/${device.deviceId}`, account)).status).toBe(404);
      expect((await request(hub.origin, "DELETE", path, account)).body.error).toBe("device_not_found");
      const again = await request(hub.origin, "POST", "/devices/register", { json: device.registration });
      expect(again.body.claim_code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
      expect(again.body.claim_code).not.toBe(device.claimCode);
      const next = await claim(hub, await madeAccount(hub), again.body.claim_code);
      expect(next.body).toMatchObject({ device_id: device.deviceId, claimed: true });
    });

    test("cause a message to a connected console when they claim it, and when they release it", async () => {
      const account = await madeAccount(hub);
      const device = await registeredDevice(hub);
      const socket = new WebSocket(`${hub.origin.replace("http", "ws")}/ws/device/${device.token}`);
      onTestFinished(() => socket.terminate());
      const messages = on(socket, "message");
      const claimed = async () => {
        for (;;) {
          const { value } = await messages.next();
          const message = JSON.parse(String(value[0]));
          if (message.type === "device.claimed") return message.claimed;
        }
      };
      expect(await claimed()).toBe(false);
      expect((await claim(hub, account, device.claimCode)).body.online).toBe(true);
      expect(await claimed()).toBe(true);
      await request(hub.origin, "DELETE", `/account/devices/${device.deviceId}`, account);
      expect(await claimed()).toBe(false);
    });

    test("cancel the pending commands of a console that they release", async () => {
      const account = await madeAccount(hub);
      const device = await heldDevice(hub, account);
      await request(hub.origin, "DELETE", `/devices/${device.deviceId}/apps/tetris`, account);
      await request(hub.origin, "DELETE", `/account/devices/${device.deviceId}`, account);
      const { body } = await request(hub.origin, "GET", "/devices/me/commands", { token: device.token });
      expect(body.commands).toMatchObject([{ app_id: "tetris", state: "cancelled" }]);
    });

    test("cannot release a console of another account", async () => {
      const owner = await madeAccount(hub);
      const device = await heldDevice(hub, owner);
      const path = `/account/devices/${device.deviceId}`;
      const { status, body } = await request(hub.origin, "DELETE", path, await madeAccount(hub));
      expect(status).toBe(404);
      expect(body.error).toBe("device_not_found");
      expect((await request(hub.origin, "GET", "/account/devices", owner)).body.total).toBe(1);
    });
  });

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Limits of accounts on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start({ environment: { SVC_HUB_REGISTRATIONS_PER_MINUTE: "8" } });
    });
    afterAll(() => hub?.stop());

    // A window of the limit may end while a test runs: then it has let through what two of them do.
    test("apply to all processes together: new accounts, and claims by one account", async () => {
      const made = await Promise.all(
        Array.from({ length: 24 }, () => request(hub.origin, "POST", "/accounts")),
      );
      const refused = made.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThanOrEqual(24 - 16);
      expect(refused[0]?.body.error).toBe("too_many_attempts");
      expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
      const account = made.find(({ status }) => status === 201)?.body;

      const guesses = await Promise.all(
        Array.from({ length: 30 }, () =>
          request(hub.origin, "POST", "/account/devices", {
            token: account.account_token,
            json: { claim_code: "0000-0000" },
          }),
        ),
      );
      const tried = guesses.filter(({ status }) => status === 404);
      expect(tried.length).toBeGreaterThanOrEqual(10);
      expect(tried.length).toBeLessThanOrEqual(20);
      expect(guesses.filter(({ status }) => status === 429)).toHaveLength(30 - tried.length);
    });
  });
