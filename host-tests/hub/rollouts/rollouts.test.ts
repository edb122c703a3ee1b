/** Rollouts, in steps (docs/spec/hub-rollouts.md). */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, test } from "vitest";
import { bring, nativeBundle, newPublisher, xtensaBundle } from "../firmware/bringing.js";
import type { HubProcess } from "../hosts/hub-process.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { appsOf, Channel, eventually } from "../push/channel.js";
import { withDatabase } from "../push/database-of.js";
import { Console, failsWith, type Message, NEVER_ANSWERS, newAccount, newDevice, SUCCEEDS } from "./fleet.js";
import { type App, Fleet, newApp } from "./rolling.js";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

function countsOf({ devices, waiting, sent, succeeded, failed, cancelled }: Message) {
  return { devices, waiting, sent, succeeded, failed, cancelled };
}

const NONE = { waiting: 0, sent: 0, succeeded: 0, failed: 0, cancelled: 0 };

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A rollout on ${name}`, () => {
    let hub: HubUnderTest;
    let app: App;

    beforeAll(async () => {
      hub = await start();
      app = await newApp(hub);
    });
    afterAll(() => hub?.stop());

    async function withFleet(
      count: number,
      behaviour: Parameters<typeof Fleet.connect>[2],
      use: (fleet: Fleet) => Promise<void>,
    ): Promise<void> {
      const fleet = await Fleet.connect(hub, count, behaviour);
      try {
        await use(fleet);
      } finally {
        await fleet.close();
      }
    }

    const appRollout = (steps?: unknown) => ({
      kind: "app",
      app_id: app.app_id,
      ...(steps !== undefined && { steps }),
    });

    test("installs an app on every device of the account, and reports that", async () => {
      await withFleet(5, SUCCEEDS, async (fleet) => {
        const made = await fleet.rollOut(appRollout());
        const { rollout_id, created_at, updated_at, expires_at, ...others } = made;
        assert.ok(rollout_id);
        assert.ok(created_at <= updated_at && updated_at < expires_at);
        assert.deepEqual(
          {
            ...others,
            steps: others.steps.map(({ step, percent }: Message) => ({ step, percent })),
            total: undefined,
          },
          {
            kind: "app",
            app_id: app.app_id,
            version: "1.0.0",
            state: "running",
            step: 1,
            steps: [{ step: 1, percent: 100 }],
            total: undefined,
          },
        );
        const done = await fleet.untilState(made, "completed");
        assert.deepEqual(countsOf(done.total), { ...NONE, devices: 5, succeeded: 5 });
        assert.deepEqual(done.steps, [
          {
            step: 1,
            percent: 100,
            success_percent: 100,
            error_percent: 100,
            ...NONE,
            devices: 5,
            succeeded: 5,
          },
        ]);
        for (const { commands } of fleet.consoles) {
          assert.equal(commands.length, 1);
          const { type, app_id, version } = commands[0];
          assert.deepEqual(
            { type, app_id, version },
            { type: "app.install", app_id: app.app_id, version: "1.0.0" },
          );
        }
        const apps = await fleet.ask("GET", `/devices/${fleet.consoles[0]?.device.deviceId}/apps`);
        assert.equal(apps.body.apps[0].state, "installed");
      });
    });

    test("proceeds step by step, never beyond the step's share", async () => {
      await withFleet(10, NEVER_ANSWERS, async (fleet) => {
        const made = await fleet.rollOut(appRollout([{ percent: 20 }, { percent: 50 }, { percent: 100 }]));
        for (const [at, share] of [2, 5, 10].entries()) {
          const told = await fleet.untilTold(share);
          const now = await fleet.look(made);
          assert.equal(told.length, share);
          assert.deepEqual(
            [now.step, now.total.sent + now.total.succeeded, now.total.waiting],
            [at + 1, share, 10 - share],
          );
          for (const console of told)
            if (console.behaviour === NEVER_ANSWERS) console.answer({ success: true });
          for (const console of told) console.behaviour = SUCCEEDS;
        }
        await fleet.untilState(made, "completed");
      });
    });

    test("does not continue before enough devices of a step have succeeded", async () => {
      await withFleet(8, NEVER_ANSWERS, async (fleet) => {
        const made = await fleet.rollOut(
          appRollout([{ percent: 50, success_percent: 75 }, { percent: 100 }]),
        );
        const [first, second, third, fourth] = await fleet.untilTold(4);
        first?.answer({ success: true });
        second?.answer({ success: true });
        fourth?.answer({ success: false, error: "storage_full" });
        const held = await fleet.until(made, ({ total }) => total.sent === 1);
        assert.deepEqual([held.state, held.step, held.total.waiting], ["running", 1, 4]);
        third?.answer({ success: true });
        const on = await fleet.until(made, ({ step }) => step === 2);
        assert.equal(on.total.waiting, 0);
        assert.deepEqual(countsOf(on.steps[0]), { ...NONE, devices: 4, succeeded: 3, failed: 1 });
        assert.equal((await fleet.untilTold(8)).length, 8);
      });
    });

    test("stops if too few devices of a step can still succeed", async () => {
      await withFleet(4, failsWith("storage_full"), async (fleet) => {
        const made = await fleet.rollOut(appRollout([{ percent: 25 }, { percent: 100 }]));
        const stopped = await fleet.untilState(made, "stopped");
        assert.equal(stopped.reason, "0 of 1 devices of step 1 have succeeded, which is less than 100 %");
        assert.deepEqual(countsOf(stopped.total), { ...NONE, devices: 4, failed: 1, cancelled: 3 });
        assert.equal(fleet.told.length, 1);
        const [failed] = await fleet.devices(made, "&state=failed");
        assert.deepEqual([failed.error, failed.step], ["storage_full", 1]);
      });
    });

    test("stops past the error threshold of a step, and cancels commands without a result", async () => {
      await withFleet(10, NEVER_ANSWERS, async (fleet) => {
        const steps = [{ percent: 50, success_percent: 20, error_percent: 20 }, { percent: 100 }];
        const made = await fleet.rollOut(appRollout(steps));
        const told = await fleet.untilTold(5);
        told[0]?.answer({ success: false, error: "module_invalid" });
        const bearable = await fleet.until(made, ({ total }) => total.failed === 1);
        assert.equal(bearable.state, "running");
        told[1]?.answer({ success: false, error: "module_invalid" });
        const stopped = await fleet.untilState(made, "stopped");
        assert.equal(stopped.reason, "2 of 5 devices of step 1 have failed, which is more than 20 %");
        assert.deepEqual(countsOf(stopped.total), { ...NONE, devices: 10, failed: 2, cancelled: 8 });
        const command = told[2]?.commands[0].command_id;
        const { body } = await fleet.ask("GET", `/devices/${told[2]?.device.deviceId}/commands/${command}`);
        assert.equal(body.state, "cancelled");
      });
    });

    test("sends nothing while paused, records results, and continues when resumed", async () => {
      await withFleet(4, NEVER_ANSWERS, async (fleet) => {
        const made = await fleet.rollOut(appRollout([{ percent: 50 }, { percent: 100 }]));
        const told = await fleet.untilTold(2);
        const paused = await fleet.ask("POST", `/rollouts/${made.rollout_id}/pause`);
        assert.deepEqual([paused.status, paused.body.state], [200, "paused"]);
        for (const console of told) console.answer({ success: true });
        const heard = await fleet.until(made, ({ total }) => total.succeeded === 2);
        assert.deepEqual([heard.state, heard.step, heard.total.waiting], ["paused", 1, 2]);
        const again = await fleet.ask("POST", `/rollouts/${made.rollout_id}/pause`);
        assert.deepEqual([again.status, again.body.error], [409, "rollout_state"]);
        const resumed = await fleet.ask("POST", `/rollouts/${made.rollout_id}/resume`);
        assert.deepEqual([resumed.status, resumed.body.state, resumed.body.step], [200, "running", 2]);
        const twice = await fleet.ask("POST", `/rollouts/${made.rollout_id}/resume`);
        assert.deepEqual([twice.status, twice.body.error], [409, "rollout_state"]);
        for (const console of (await fleet.untilTold(4)).filter((each) => !told.includes(each)))
          console.answer({ success: true });
        await fleet.untilState(made, "completed");
      });
    });

    test("that is cancelled cancels commands without a result, and stays cancelled", async () => {
      await withFleet(4, NEVER_ANSWERS, async (fleet) => {
        const made = await fleet.rollOut(appRollout([{ percent: 50 }, { percent: 100 }]));
        const [first, second] = await fleet.untilTold(2);
        first?.answer({ success: true });
        await fleet.until(made, ({ total }) => total.succeeded === 1);
        const { status, body } = await fleet.ask("POST", `/rollouts/${made.rollout_id}/cancel`);
        assert.deepEqual([status, body.state], [200, "cancelled"]);
        assert.deepEqual(countsOf(body.total), { ...NONE, devices: 4, succeeded: 1, cancelled: 3 });
        const command = `/devices/${second?.device.deviceId}/commands/${second?.commands[0].command_id}`;
        assert.equal((await fleet.ask("GET", command)).body.state, "cancelled");
        for (const event of ["pause", "resume", "cancel"]) {
          const refused = await fleet.ask("POST", `/rollouts/${made.rollout_id}/${event}`);
          assert.deepEqual([refused.status, refused.body.error], [409, "rollout_state"]);
        }
      });
    });

    test("reaches devices that connect later", async () => {
      const account = await newAccount(hub);
      const device = await newDevice(hub, account);
      const token = account;
      const { body } = await request(hub.origin, "POST", "/rollouts", { token, json: appRollout() });
      assert.deepEqual([body.state, body.total.sent], ["running", 1]);
      const console = await Console.connect(device, SUCCEEDS, () => hub.origins);
      await console.told();
      const look = () => request(hub.origin, "GET", `/rollouts/${body.rollout_id}`, { token });
      while ((await look()).body.state !== "completed");
      await console.close();
    });

    test("skips a device that gets another command meanwhile", async () => {
      await withFleet(2, NEVER_ANSWERS, async (fleet) => {
        const made = await fleet.rollOut(appRollout());
        const [first, second] = await fleet.untilTold(2);
        const byHand = await fleet.ask(
          "POST",
          `/devices/${first?.device.deviceId}/apps/${app.app_id}/install`,
        );
        assert.equal(byHand.status, 202);
        second?.answer({ success: true });
        const done = await fleet.untilState(made, "completed");
        assert.deepEqual(countsOf(done.total), { ...NONE, devices: 2, succeeded: 1, cancelled: 1 });
      });
    });

    test("skips a released device, notified or not", async () => {
      await withFleet(4, NEVER_ANSWERS, async (fleet) => {
        const made = await fleet.rollOut(appRollout([{ percent: 50 }, { percent: 100 }]));
        const told = await fleet.untilTold(2);
        const untold = fleet.consoles.filter((console) => !told.includes(console));
        for (const console of [told[0], untold[0]]) {
          const { status } = await fleet.ask("DELETE", `/account/devices/${console?.device.deviceId}`);
          assert.equal(status, 204);
        }
        told[1]?.answer({ success: true });
        await fleet.until(made, ({ step }) => step === 2);
        const last = untold[1] as Console;
        await last.told();
        last.answer({ success: true });
        const done = await fleet.untilState(made, "completed");
        assert.deepEqual(countsOf(done.total), { ...NONE, devices: 4, succeeded: 2, cancelled: 2 });
        assert.equal(untold[0]?.commands.length, 0);
      });
    });

    test("that is paused ends once its account has released all waiting devices", async () => {
      await withFleet(3, SUCCEEDS, async (fleet) => {
        const steps = [{ percent: 1, success_percent: 0 }, { percent: 100 }];
        for (const console of fleet.consoles) console.behaviour = NEVER_ANSWERS;
        const made = await fleet.rollOut(appRollout(steps));
        const [told] = await fleet.untilTold(1);
        await fleet.ask("POST", `/rollouts/${made.rollout_id}/pause`, {});
        told?.answer({ success: true });
        await fleet.until(made, ({ total }) => total.succeeded === 1);
        for (const console of fleet.consoles.filter((each) => each !== told))
          await fleet.ask("DELETE", `/account/devices/${console.device.deviceId}`);
        const over = await fleet.untilState(made, "completed");
        assert.deepEqual(countsOf(over.total), { ...NONE, devices: 3, succeeded: 1, cancelled: 2 });
      });
    });

    test("is rejected beyond a hundred running ones of one account, also when many are created at once", async () => {
      await withFleet(1, NEVER_ANSWERS, async (fleet) => {
        const apps: string[] = [];
        while (apps.length < 5) apps.push(await app.publisher.publishApp());
        const first = await fleet.rollOut(appRollout());
        await withDatabase(hub, async (database) => {
          const row = await database
            .selectFrom("rollouts")
            .selectAll()
            .where("id", "=", first.rollout_id)
            .executeTakeFirstOrThrow();
          const rows = Array.from({ length: 97 }, () => ({
            ...row,
            id: randomUUID(),
            state: "paused" as const,
          }));
          await database.insertInto("rollouts").values(rows).execute();
          const device_id = `${fleet.consoles[0]?.device.deviceId}`;
          const waiting = { device_id, position: 0, state: "waiting" as const, updated_at: 0 };
          const devices = rows.map(({ id: rollout_id }) => ({ ...waiting, rollout_id }));
          await database.insertInto("rollout_devices").values(devices).execute();
        });
        const ask = (app_id: string) => fleet.ask("POST", "/rollouts", { kind: "app", app_id });
        const answers = await Promise.all(apps.map(ask));
        const codes = answers.map(({ status, body }) => body.error ?? status);
        assert.deepEqual(codes.sort(), [201, 201, ...Array(3).fill("too_many_rollouts")]);
        assert.equal((await fleet.ask("POST", `/rollouts/${first.rollout_id}/cancel`)).status, 200);
        const again = apps[answers.findIndex(({ status }) => status === 409)] as string;
        assert.equal((await ask(again)).status, 201);
      });
    });

    test("of an app that was retracted meanwhile fails with the devices' errors", async () => {
      const retracted = await newApp(hub);
      await withFleet(2, NEVER_ANSWERS, async (fleet) => {
        const made = await fleet.rollOut({ kind: "app", app_id: retracted.app_id });
        await fleet.untilTold(2);
        await retracted.publisher.retractApp(retracted.app_id);
        for (const console of fleet.consoles) {
          const address = new URL(console.commands[0].download_url);
          const download = await request(address.origin, "GET", address.href.split("/api/v1")[1] ?? "", {
            token: console.device.token,
          });
          console.answer({ success: false, error: download.body.error });
        }
        const done = await fleet.untilState(made, "completed");
        assert.equal(done.total.failed, 2);
        for (const { error } of await fleet.devices(made)) assert.equal(error, "app_retracted");
        const next = await fleet.ask("POST", "/rollouts", { kind: "app", app_id: retracted.app_id });
        assert.deepEqual([next.status, next.body.error], [410, "app_retracted"]);
      });
    });

    test("of firmware is for devices of its architecture", async () => {
      const publisher = await newPublisher(hub);
      await bring(hub, publisher, nativeBundle("1.0.0", publisher));
      await bring(hub, publisher, nativeBundle("1.1.0", publisher));
      await bring(hub, publisher, xtensaBundle("2.0.0", publisher));
      await withFleet(2, SUCCEEDS, async (fleet) => {
        const board = await newDevice(hub, fleet.account, { arch: "xtensa" });
        const made = await fleet.rollOut({ kind: "firmware", arch: "native" });
        assert.deepEqual(
          [made.kind, made.arch, made.version, made.app_id],
          ["firmware", "native", "1.1.0", undefined],
        );
        const done = await fleet.untilState(made, "completed");
        assert.deepEqual(countsOf(done.total), { ...NONE, devices: 2, succeeded: 2 });
        assert.equal(fleet.consoles[0]?.commands[0].type, "firmware.update");
        const older = await fleet.rollOut({ kind: "firmware", arch: "native", version: "1.0.0" });
        assert.equal(older.version, "1.0.0");
        const named = { kind: "firmware", arch: "native", devices: { ids: [board.deviceId] } };
        const wrong = await fleet.ask("POST", "/rollouts", named);
        assert.deepEqual([wrong.status, wrong.body.error], [422, "wrong_board"]);
        const none = await fleet.ask("POST", "/rollouts", { kind: "firmware", arch: "arm" });
        assert.deepEqual([none.status, none.body.error], [404, "firmware_not_found"]);
      });
    });

    test("is for the selected devices", async () => {
      const account = await newAccount(hub);
      const token = account;
      const facts = [
        { name: "Lab 1", arch: "native", firmware_version: "0.1.0" },
        { name: "Lab 2", arch: "xtensa", firmware_version: "0.1.0" },
        { name: "lab 3", arch: "native", firmware_version: "0.2.0" },
        { name: "100% Öl", arch: "native", firmware_version: "0.2.0" },
      ];
      const devices = [];
      for (const each of facts) devices.push(await newDevice(hub, account, each));
      const [first, second, third, fourth] = devices.map(({ deviceId }) => deviceId);
      await newDevice(hub, await newAccount(hub), { name: "Lab 5" });
      const other = await newApp(hub);
      await request(hub.origin, "POST", `/devices/${third}/apps/${other.app_id}/install`, { token });
      const installing = devices[2];
      if (installing) {
        const console = await Console.connect(installing, SUCCEEDS, () => hub.origins);
        const apps = () => request(hub.origin, "GET", `/devices/${third}/apps`, { token });
        while ((await apps()).body.apps[0]?.state !== "installed");
        await console.close();
      }
      const choices = [
        [undefined, [first, second, third, fourth]],
        [{}, [first, second, third, fourth]],
        [{ ids: [second, fourth, second] }, [second, fourth]],
        [{ arch: "native" }, [first, third, fourth]],
        [{ name: "Lab" }, [first, second]],
        [{ name: "100% Ö" }, [fourth]],
        [{ firmware_version: "0.2.0", arch: "native" }, [third, fourth]],
        [{ app_id: other.app_id }, [third]],
      ] as const;
      for (const [chosen, expected] of choices) {
        const json = { ...appRollout(), ...(chosen && { devices: chosen }) };
        const { body, status } = await request(hub.origin, "POST", "/rollouts", { token, json });
        assert.equal(status, 201, JSON.stringify(body));
        const list = await request(hub.origin, "GET", `/rollouts/${body.rollout_id}/devices`, { token });
        const ids = list.body.devices.map(({ device_id }: Message) => device_id);
        assert.deepEqual(ids.sort(), [...expected].sort(), JSON.stringify(chosen));
        assert.equal(list.body.total, expected.length);
      }
    });

    test("for the devices with an app is for those that report it, whoever installed or removed it", async () => {
      const token = await newAccount(hub);
      const [local, removed] = [await newDevice(hub, token), await newDevice(hub, token)];
      const other = await newApp(hub);
      const install = `/devices/${removed.deviceId}/apps/${other.app_id}/install`;
      await request(hub.origin, "POST", install, { token });
      const console = await Channel.open(hub.origin, removed.token);
      const reported = { name: other.app_id, version: "1.0.0", size: 1, running: false };
      console.send({ type: "device.apps", apps: [reported] });
      console.answer(await console.next("app.install"));
      await eventually(
        () => appsOf(hub.origin, removed),
        (apps) => apps[0]?.state === "installed",
      );
      console.send({ type: "device.apps", apps: [] });
      await eventually(
        () => appsOf(hub.origin, removed),
        ({ length }) => length === 0,
      );
      const cable = await Channel.open(hub.origin, local.token);
      cable.send({ type: "device.apps", apps: [reported] });
      await eventually(
        () => appsOf(hub.origin, local),
        ({ length }) => length === 1,
      );
      const json = { ...appRollout(), devices: { app_id: other.app_id } };
      const { body, status } = await request(hub.origin, "POST", "/rollouts", { token, json });
      assert.equal(status, 201, JSON.stringify(body));
      const list = await request(hub.origin, "GET", `/rollouts/${body.rollout_id}/devices`, { token });
      assert.deepEqual(
        list.body.devices.map(({ device_id }: Message) => device_id),
        [local.deviceId],
      );
      await Promise.all([console.close(), cable.close()]);
    });

    const REFUSALS: readonly (readonly [string, () => unknown, number, string])[] = [
      ["no kind", () => ({ app_id: app.app_id }), 400, "missing_parameter"],
      ["an unknown kind", () => ({ kind: "song", app_id: app.app_id }), 400, "bad_parameter"],
      ["no app", () => ({ kind: "app" }), 400, "missing_parameter"],
      ["no architecture", () => ({ kind: "firmware" }), 400, "missing_parameter"],
      ["an app that is not there", () => ({ kind: "app", app_id: "nothing" }), 404, "app_not_found"],
      [
        "a version that is not there",
        () => ({ ...appRollout(), version: "9.9.9" }),
        404,
        "version_not_found",
      ],
      ["an invalid version", () => ({ ...appRollout(), version: "new" }), 400, "bad_parameter"],
      [
        "devices that are not the account's",
        () => ({ ...appRollout(), devices: { ids: [UNKNOWN] } }),
        404,
        "device_not_found",
      ],
      [
        "a filter that matches no device",
        () => ({ ...appRollout(), devices: { name: "nothing" } }),
        422,
        "rollout_empty",
      ],
      ["no devices", () => ({ ...appRollout(), devices: { ids: [] } }), 422, "rollout_empty"],
      [
        "a filter with an unknown member",
        () => ({ ...appRollout(), devices: { nmae: "Lab" } }),
        400,
        "bad_parameter",
      ],
      [
        "ids and a filter",
        () => ({ ...appRollout(), devices: { ids: [UNKNOWN], arch: "arm" } }),
        400,
        "bad_parameter",
      ],
      ["no steps", () => appRollout([]), 400, "bad_parameter"],
      ["steps that do not end with 100 percent", () => appRollout([{ percent: 10 }]), 400, "bad_parameter"],
      [
        "decreasing steps",
        () => appRollout([{ percent: 50 }, { percent: 10 }, { percent: 100 }]),
        400,
        "bad_parameter",
      ],
      ["repeated steps", () => appRollout([{ percent: 100 }, { percent: 100 }]), 400, "bad_parameter"],
      ["a step of 0 percent", () => appRollout([{ percent: 0 }, { percent: 100 }]), 400, "bad_parameter"],
      [
        "a share above 100 percent",
        () => appRollout([{ percent: 100, success_percent: 101 }]),
        400,
        "bad_parameter",
      ],
      ["a negative share", () => appRollout([{ percent: 100, error_percent: -1 }]), 400, "bad_parameter"],
      [
        "a step with an unknown member",
        () => appRollout([{ percent: 100, succes_percent: 50 }]),
        400,
        "bad_parameter",
      ],
    ];
    for (const [what, json, status, code] of REFUSALS)
      test(`is rejected with ${what}`, async () => {
        const token = await newAccount(hub);
        await newDevice(hub, token);
        const answer = await request(hub.origin, "POST", "/rollouts", { token, json: json() });
        assert.deepEqual([answer.status, answer.body.error], [status, code]);
        assert.equal((await request(hub.origin, "GET", "/rollouts", { token })).body.total, 0);
      });

    test("is listed with others, newest first", async () => {
      await withFleet(1, NEVER_ANSWERS, async (fleet) => {
        const made = [];
        const atOne = fleet.at(hub.processes[0] as HubProcess); // clocks of processes differ by milliseconds
        for (let count = 0; count < 3; count++) made.push(await atOne.rollOut(appRollout()));
        const [first, second, third] = made.map(({ rollout_id }) => rollout_id);
        await fleet.ask("POST", `/rollouts/${third}/cancel`);
        const idsOf = async (query: string) => {
          const { body } = await fleet.ask("GET", `/rollouts${query}`);
          return [body.total, ...body.rollouts.map(({ rollout_id }: Message) => rollout_id)];
        };
        assert.deepEqual(await idsOf("?per_page=2"), [3, third, second]);
        assert.deepEqual(await idsOf("?per_page=2&page=2"), [3, first]);
        assert.deepEqual(await idsOf("?state=cancelled"), [1, third]);
        assert.equal((await fleet.ask("GET", "/rollouts?state=lost")).body.error, "bad_parameter");
        const devices = await fleet.ask("GET", `/rollouts/${third}/devices`);
        const [device] = devices.body.devices;
        assert.deepEqual(
          { ...device, updated_at: undefined },
          {
            device_id: fleet.consoles[0]?.device.deviceId,
            step: 1,
            state: "cancelled",
            updated_at: undefined,
          },
        );
        assert.equal((await fleet.ask("GET", `/rollouts/${third}/devices?state=sent`)).body.total, 0);
      });
    });

    test("belongs only to the account that created it", async () => {
      await withFleet(1, NEVER_ANSWERS, async (fleet) => {
        const { rollout_id } = await fleet.rollOut(appRollout());
        const publisher = await newPublisher(hub);
        const stranger = await newAccount(hub);
        const rows = [
          ["POST", "/rollouts"],
          ["GET", "/rollouts"],
          ["GET", `/rollouts/${rollout_id}`],
          ["GET", `/rollouts/${rollout_id}/devices`],
          ["POST", `/rollouts/${rollout_id}/pause`],
          ["POST", `/rollouts/${rollout_id}/resume`],
          ["POST", `/rollouts/${rollout_id}/cancel`],
        ] as const;
        for (const [method, path] of rows) {
          const ask = async (token: string | undefined) => {
            const { body, status } = await request(hub.origin, method, path, { token });
            return `${status} ${body.error}`;
          };
          assert.equal(await ask(undefined), "401 unauthorized");
          assert.equal(await ask("garbage"), "401 unauthorized");
          assert.equal(await ask(fleet.consoles[0]?.device.token), "403 forbidden");
          assert.equal(await ask(publisher.token), "403 forbidden");
          if (path !== "/rollouts") assert.equal(await ask(stranger), "404 rollout_not_found");
        }
        assert.equal((await request(hub.origin, "GET", "/rollouts", { token: stranger })).body.total, 0);
        assert.equal((await fleet.look({ rollout_id })).state, "running");
        const unknown = await fleet.ask("GET", `/rollouts/${UNKNOWN}`);
        assert.deepEqual([unknown.status, unknown.body.error], [404, "rollout_not_found"]);
      });
    });

    test("begins with other devices than another rollout", async () => {
      await withFleet(12, NEVER_ANSWERS, async (fleet) => {
        const firsts = new Set<string>();
        for (let count = 0; count < 12; count++) {
          const rollout = await fleet.rollOut(appRollout());
          firsts.add((await fleet.devices(rollout))[0].device_id);
        }
        assert.ok(firsts.size > 1, "the first device of twelve rollouts is the same"); // by chance once in 12 ** 11
      });
    });
  });
