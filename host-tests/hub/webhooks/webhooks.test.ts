/** Webhooks of accounts (docs/spec/hub-api.md#webhooks). */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { heldDevice, madeAccount, type TestAccount } from "../api/people.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel, eventually } from "../push/channel.js";
import { withDatabase } from "../push/database-of.js";
import { failsWith, SUCCEEDS } from "../rollouts/fleet.js";
import { Fleet, newApp } from "../rollouts/rolling.js";
import { asking, attempted, PRIVATE } from "./asking.js";
import { answering, isSigned, Receiver } from "./receiver.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Webhooks on ${name}`, () => {
    let hub: HubUnderTest;
    let account: TestAccount;
    let api: ReturnType<typeof asking>;
    beforeAll(async () => {
      hub = await start({ environment: PRIVATE });
    });
    afterAll(async () => {
      await hub?.stop();
      expect(hub?.errors).toEqual([]);
      const log = hub?.processes.flatMap(({ stderr }) => stderr).join("\n");
      for (const secret of ["whsec_", "of-the-receiver"]) expect(log).not.toContain(secret);
    });
    beforeEach(async () => {
      account = await madeAccount(hub);
      api = asking(hub, account.token);
    });

    const orders = async (deviceId: string, count: number): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (let at = 0; at < count; at++) {
        const path = `/devices/${deviceId}/apps/app-${at}`;
        ids.push((await request(hub.origin, "DELETE", path, { token: account.token })).body.command_id);
      }
      return ids;
    };
    const untilReceived = async (receiver: Receiver, count: number, type?: string) => {
      const look = async () => (type === undefined ? receiver.received : receiver.ofType(type));
      return eventually(look, ({ length }) => length >= count);
    };

    test("get what happens to consoles, signed", async () => {
      const receiver = await Receiver.start();
      const { secret } = await api.add(receiver.url);
      const device = await heldDevice(hub, account);
      const channel = await Channel.open(hub.origin, device.token);
      const [done, failed] = await orders(device.deviceId, 2);
      for (const _ of [done, failed]) {
        const command = await channel.next("app.uninstall");
        const success = command.command_id === done;
        channel.answer(command, { success, error: success ? null : "storage_full" });
      }
      await untilReceived(receiver, 3);
      await request(hub.origin, "DELETE", `/account/devices/${device.deviceId}`, { token: account.token });
      const all = await untilReceived(receiver, 4);
      for (const one of all) expect(isSigned(secret, one)).toBe(true);
      expect(all[0]?.headers["content-type"]).toBe("application/json");
      const { deviceId: device_id } = device;
      const bodies = all.map(({ body }) => body).sort((a, b) => (a.type < b.type ? -1 : 1));
      expect(bodies).toEqual([
        {
          type: "command.failed",
          timestamp: expect.any(String),
          data: { device_id, command_id: failed, kind: "uninstall", app_id: "app-1", error: "storage_full" },
        },
        {
          type: "command.succeeded",
          timestamp: expect.any(String),
          data: { device_id, command_id: done, kind: "uninstall", app_id: "app-0" },
        },
        ...["device.claimed", "device.released"].map((type) => ({
          type,
          timestamp: expect.any(String),
          data: { device_id, name: "Console-1A2B" },
        })),
      ]);
      await channel.close();
    });

    test("get the steps and the ends of rollouts", async () => {
      const receiver = await Receiver.start();
      const fleet = await Fleet.connect(hub, 4, SUCCEEDS);
      onTestFinished(() => fleet.close());
      const ofFleet = asking(hub, fleet.account);
      await ofFleet.add(receiver.url, ["rollout.step", "rollout.completed", "rollout.stopped"]);
      const { app_id, publisher } = await newApp(hub);
      const steps = [{ percent: 50 }, { percent: 100 }];
      const completed = await fleet.rollOut({ kind: "app", app_id, steps });
      await untilReceived(receiver, 2);
      await publisher.publishApp(app_id, "1.1.0");
      for (const console of fleet.consoles) console.behaviour = failsWith("storage_full");
      const strict = [{ percent: 50, error_percent: 0 }, { percent: 100 }];
      const stopped = await fleet.rollOut({ kind: "app", app_id, steps: strict });
      await untilReceived(receiver, 3);
      const told = receiver.received.map(({ body: { type, data } }) => [type, data.rollout_id, data.step]);
      expect(told.slice(0, 2).sort()).toEqual([
        ["rollout.completed", completed.rollout_id, 2],
        ["rollout.step", completed.rollout_id, 2],
      ]);
      expect(told[2]).toEqual(["rollout.stopped", stopped.rollout_id, 1]);
      expect(receiver.received[2]?.body.data).toMatchObject({ app_id, reason: expect.any(String) });
    });

    test("get only events that they want, of their own account", async () => {
      const [receiver, foreign] = [await Receiver.start(), await Receiver.start()];
      await api.add(receiver.url, ["device.claimed"]);
      await asking(hub, (await madeAccount(hub)).token).add(foreign.url);
      const { deviceId } = await heldDevice(hub, account);
      await request(hub.origin, "DELETE", `/account/devices/${deviceId}`, { token: account.token });
      const webhook = await api.add(receiver.url);
      await api.test(webhook);
      await untilReceived(receiver, 2);
      expect(receiver.received.map(({ body }) => body.type).sort()).toEqual([
        ...["device.claimed", "webhook.test"],
      ]);
      expect(foreign.connections).toBe(0);
    });

    test("get each event once, whatever number of processes there are", async () => {
      const slow = await Receiver.start((response) => setTimeout(() => response.writeHead(200).end(), 30));
      const webhook = await api.add(slow.url, ["command.succeeded"]);
      const device = await heldDevice(hub, account);
      const channel = await Channel.open(hub.origin, device.token);
      const ids = await orders(device.deviceId, 60);
      for (const _ of ids) channel.answer(await channel.next("app.uninstall"));
      await untilReceived(slow, 60);
      const ended = await eventually(
        () => api.deliveries(webhook),
        (all) => all.every(({ state }) => state === "delivered"),
      );
      expect(ended).toHaveLength(60);
      expect(ended.every(({ attempts, status }) => attempts === 1 && status === 200)).toBe(true);
      expect(slow.received).toHaveLength(60);
      expect(new Set(slow.received.map(({ id }) => id)).size).toBe(60);
      expect(slow.received.map(({ body }) => body.data.command_id).sort()).toEqual([...ids].sort());
      await channel.close();
    });

    test("are tried again, as the same message at another time", async () => {
      const receiver = await Receiver.start(answering(500));
      const webhook = await api.add(receiver.url);
      const id = await api.test(webhook);
      const [first] = await attempted(api, webhook, 1);
      expect(first).toMatchObject({ delivery_id: id, state: "pending", attempts: 1, status: 500 });
      expect(Date.parse(first?.next_attempt_at) - Date.parse(first?.updated_at)).toBeGreaterThanOrEqual(5000);
      expect(await api.look(webhook)).toMatchObject({ enabled: true, failing_since: expect.any(String) });
      receiver.answer = answering(200);
      await untilReceived(receiver, 2);
      const [last] = await eventually(
        () => api.deliveries(webhook),
        ([delivery]) => delivery?.state === "delivered",
      );
      expect(last).toMatchObject({ delivery_id: id, attempts: 2, status: 200 });
      const [one, other] = receiver.received;
      expect([one?.id, other?.id]).toEqual([id, id]);
      expect(other?.timestamp).toBeGreaterThan(one?.timestamp ?? 0);
      for (const each of receiver.received) expect(isSigned(webhook.secret, each)).toBe(true);
      expect(await api.look(webhook)).not.toHaveProperty("failing_since");
    });

    test("follow no redirect, and read no endless answer", async () => {
      const target = await Receiver.start();
      const receiver = await Receiver.start(answering(302, { location: target.url }));
      const webhook = await api.add(receiver.url);
      await api.test(webhook);
      expect(await attempted(api, webhook, 1)).toMatchObject([{ state: "pending", status: 302 }]);
      expect(target.connections).toBe(0);

      const endless = await Receiver.start((response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write("x".repeat(65_536)), 1);
        response.once("close", () => clearInterval(timer));
      });
      const other = await api.add(endless.url);
      await api.test(other);
      expect(await attempted(api, other, 1)).toMatchObject([{ state: "delivered", status: 200 }]);
    });

    test("that never answer delay no other", async () => {
      const silent = await Promise.all(Array.from({ length: 5 }, () => Receiver.start(() => {})));
      const stuck = await Promise.all(silent.map(({ url }) => api.add(url)));
      for (const webhook of stuck) await api.test(webhook);
      for (const receiver of silent) await untilReceived(receiver, 1);
      const quick = await Receiver.start();
      const other = asking(hub, (await madeAccount(hub)).token);
      await other.test(await other.add(quick.url));
      await untilReceived(quick, 1);
      for (const webhook of stuck) // which have not given up yet
        expect(await api.deliveries(webhook)).toMatchObject([{ state: "pending", attempts: 0 }]);
      expect(silent.map(({ received }) => received.length)).toEqual([1, 1, 1, 1, 1]);
      for (const webhook of stuck)
        expect(await attempted(api, webhook, 1)).toMatchObject([{ state: "pending", error: "timeout" }]);
    });

    test("that have failed for days are disabled, with an entry in the audit log", async () => {
      const receiver = await Receiver.start(answering(500));
      const webhook = await api.add(receiver.url);
      await withDatabase(hub, (database) =>
        database
          .updateTable("webhooks")
          .set({ failures: 30, failing_since: Date.now() - 5 * 24 * 3_600_000 })
          .where("id", "=", webhook.webhook_id)
          .execute(),
      );
      await api.test(webhook);
      const disabled = await eventually(
        () => api.look(webhook),
        ({ enabled }) => !enabled,
      );
      expect(disabled.disabled_at).toEqual(expect.any(String));
      expect(await api.deliveries(webhook)).toMatchObject([{ state: "failed", error: "webhook_disabled" }]);
      const again = await api.ask("POST", `/${webhook.webhook_id}/test`);
      expect([again.status, again.body.error]).toEqual([409, "webhook_disabled"]);
      const log = await request(hub.origin, "GET", "/account/audit", { token: account.token });
      expect(log.body.entries).toContainEqual(
        expect.objectContaining({
          actor: "hub",
          action: "disable webhook",
          names: { webhook_id: webhook.webhook_id },
        }),
      );
      receiver.answer = answering(200);
      const enabled = await api.ask("PUT", `/${webhook.webhook_id}`, { enabled: true });
      expect(enabled.body).toMatchObject({ enabled: true });
      const id = await api.test(webhook);
      await eventually(
        () => api.deliveries(webhook),
        (all) => all.some(({ delivery_id, state }) => delivery_id === id && state === "delivered"),
      );
    });

    test("have not failed yet at a new address, whose receiver gets what waits, with the same secret", async () => {
      const former = await Receiver.start(answering(500));
      const webhook = await api.add(former.url);
      await api.test(webhook);
      await attempted(api, webhook, 1);
      expect(await api.look(webhook)).toMatchObject({ failing_since: expect.any(String) });
      const receiver = await Receiver.start();
      const { body } = await api.ask("PUT", `/${webhook.webhook_id}`, { url: receiver.url });
      expect(body).toMatchObject({ url: receiver.url, enabled: true });
      expect(body).not.toHaveProperty("failing_since");
      const [received] = await untilReceived(receiver, 1);
      expect(received && isSigned(webhook.secret, received)).toBe(true);
    });

    test("are disabled by an answer 410", async () => {
      const receiver = await Receiver.start(answering(410));
      const webhook = await api.add(receiver.url);
      await api.test(webhook);
      await eventually(
        () => api.look(webhook),
        ({ enabled }) => !enabled,
      );
      await heldDevice(hub, account);
      expect(await api.deliveries(webhook)).toHaveLength(1);
    });

    test("keep ten thousand events of an account, and count those beyond", async () => {
      const webhook = await api.add("https://hooks.invalid/", ["device.claimed"]);
      const later = Date.now() + 3_600_000;
      await withDatabase(hub, async (database) => {
        for (let piece = 0; piece < 50; piece++)
          await database
            .insertInto("webhook_deliveries")
            .values(
              Array.from({ length: 200 }, () => ({
                id: randomUUID(),
                webhook_id: webhook.webhook_id,
                account_id: account.accountId,
                event: "device.claimed",
                body: "{}",
                state: "pending" as const,
                attempts: 0,
                next_at: later,
                status: null,
                error: null,
                created_at: later,
                updated_at: later,
              })),
            )
            .execute();
      });
      await heldDevice(hub, account);
      expect(await api.look(webhook)).toMatchObject({ dropped: 1 });
    });

    test("keep what has ended for a week, and a thousand of it", async () => {
      const receiver = await Receiver.start();
      const webhook = await api.add(receiver.url);
      const ended = (createdAt: number) => ({
        id: randomUUID(),
        webhook_id: webhook.webhook_id,
        account_id: account.accountId,
        event: "device.claimed",
        body: "{}",
        state: "delivered" as const,
        attempts: 1,
        next_at: 0,
        status: 200,
        error: null,
        created_at: createdAt,
        updated_at: createdAt,
      });
      const now = Date.now();
      const old = ended(now - 8 * 24 * 3_600_000);
      await withDatabase(hub, async (database) => {
        for (let piece = 0; piece < 11; piece++)
          await database
            .insertInto("webhook_deliveries")
            .values(Array.from({ length: 100 }, () => ended(now)))
            .execute();
        await database.insertInto("webhook_deliveries").values(old).execute(); // the newest of them
      });
      await api.test(webhook);
      const left = () =>
        withDatabase(hub, (database) =>
          database
            .selectFrom("webhook_deliveries")
            .select("id")
            .where("webhook_id", "=", webhook.webhook_id)
            .execute(),
        );
      const kept = await eventually(
        left,
        (rows) => rows.length <= 1000 && rows.every(({ id }) => id !== old.id),
      );
      expect(kept.length).toBeGreaterThanOrEqual(999); // a thousand with or without the old one, which came late
    });

    // docs/spec/hub-api.md#webhook-secret
    test("are signed with a new secret, and for a day with the one before it", async () => {
      const receiver = await Receiver.start();
      const webhook = await api.add(receiver.url);
      const renew = async () =>
        (await api.ask("POST", `/${webhook.webhook_id}/secret`)).body.secret as string;
      const received = async (count: number) => {
        await api.test(webhook);
        const last = (await untilReceived(receiver, count))[count - 1];
        if (!last) throw new Error("Nothing was received");
        return last;
      };
      const second = await renew();
      const both = await received(1);
      expect([webhook.secret, second].map((secret) => isSigned(secret, both))).toEqual([true, true]);
      const third = await renew();
      const next = await received(2);
      const secrets = [webhook.secret, second, third];
      expect(secrets.map((secret) => isSigned(secret, next))).toEqual([false, true, true]);
      await withDatabase(hub, async (database) => {
        await database
          .updateTable("webhooks")
          .set({ former_until: Date.now() })
          .where("id", "=", webhook.webhook_id)
          .execute();
      });
      const later = await received(3);
      expect(secrets.map((secret) => isSigned(secret, later))).toEqual([false, false, true]);
    });

    test("are at most ten, and tested at most ten times a minute", async () => {
      const receiver = await Receiver.start();
      const adding = Array.from({ length: 14 }, () =>
        api.ask("POST", "", { url: receiver.url, events: ["device.claimed"] }),
      );
      const answers = await Promise.all(adding);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
      expect(answers.find(({ status }) => status === 409)?.body.error).toBe("too_many_webhooks");
      const id = answers.find(({ status }) => status === 201)?.body.webhook_id;
      const tests = await Promise.all(Array.from({ length: 12 }, () => api.ask("POST", `/${id}/test`)));
      // A minute may begin between two of them.
      expect(tests.filter(({ status }) => status === 202).length).toBeGreaterThanOrEqual(10);
      await api.ask("DELETE", `/${id}`);
      expect((await api.ask("POST", "", { url: receiver.url, events: ["device.claimed"] })).status).toBe(201);
    });

    test("show no secret after the first answer, and end with their account", async () => {
      const receiver = await Receiver.start();
      const { webhook_id } = await api.add(receiver.url);
      const { body } = await api.ask("GET", "");
      expect(JSON.stringify(body)).not.toContain("secret");
      const changed = await api.ask("PUT", `/${webhook_id}`, { events: ["command.failed"] });
      expect(changed.body).toEqual({ ...body.webhooks[0], events: ["command.failed"] });
      await request(hub.origin, "DELETE", "/account", { token: account.token });
      const left = await withDatabase(hub, (database) =>
        database.selectFrom("webhooks").selectAll().where("id", "=", webhook_id).execute(),
      );
      expect(left).toEqual([]);
    });

    const BAD = [
      { what: "no events", json: { url: "https://hooks.invalid/", events: [] } },
      { what: "an unknown event", json: { url: "https://hooks.invalid/", events: ["device.exploded"] } },
      {
        what: "an address without TLS elsewhere",
        json: { url: "http://192.168.1.5/", events: ["device.claimed"] },
      },
      {
        what: "an address of the cloud's own",
        json: { url: "https://169.254.169.254/", events: ["device.claimed"] },
      },
      { what: "no change", json: {}, method: "PUT" },
      { what: "a change to no events", json: { events: [] }, method: "PUT" },
      {
        what: "a change to an address of the cloud's own",
        json: { url: "https://169.254.169.254/" },
        method: "PUT",
      },
      { what: "a change to another scheme", json: { url: "javascript:alert(1)" }, method: "PUT" },
      {
        what: "a change to an address without an end",
        json: { url: `https://hooks.invalid/${"x".repeat(2048)}` },
        method: "PUT",
      },
    ];
    for (const { what, json, method = "POST" } of BAD)
      test(`refuse ${what}`, async () => {
        const { webhook_id } = await api.add("https://hooks.invalid/");
        const answer = await api.ask(method, method === "PUT" ? `/${webhook_id}` : "", json);
        expect([answer.status, answer.body.error]).toEqual([400, "bad_parameter"]);
      });
  });
