/** Review before listing (docs/spec/hub-api.md#review). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withOperator } from "../../../hub/operator.js";
import { runSvcIn, SVC_TIMEOUT_MS } from "../../unit/cli/run-svc.js";
import { madeAccount } from "../api/people.js";
import { appPackage, freshName, HubPublisher } from "../catalog/hub-publisher.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { screenshotsForm, smallPng } from "./screenshots.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Review on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: HubPublisher;
    let account: string;
    let id: string;
    const publish = async (version: string, fields = {}) => {
      const answer = await publisher.publish(await appPackage({ name: id, version, ...fields }));
      expect(answer.status).toBe(201);
      return answer.body;
    };
    const accept = (version: string) =>
      withOperator(hub.environment, ({ reviews }) => reviews.accept(id, version));
    const refuse = (version: string, reason = "") =>
      withOperator(hub.environment, ({ reviews }) => reviews.refuse(id, version, reason));
    const waiting = async () =>
      (await withOperator(hub.environment, ({ reviews }) => reviews.list()))
        .filter(({ app_id }) => app_id === id)
        .map(({ version }) => version);
    const ask = (path: string, token = account) => request(hub.origin, "GET", path, { token });
    const listed = async (query = "") => {
      const { body } = await ask(`/catalog?per_page=100${query}`);
      return body.apps
        .filter((app: { id: string }) => app.id === id)
        .map((app: { version: string }) => app.version);
    };
    const own = async () =>
      (await ask("/publisher/apps?per_page=100", publisher.token)).body.apps.find(
        (app: { id: string }) => app.id === id,
      );

    beforeAll(async () => {
      hub = await start({ environment: { SVC_HUB_REVIEW: "on" } });
      publisher = await HubPublisher.register(hub);
      account = (await madeAccount(hub)).token;
    });
    afterAll(() => hub.stop());
    beforeEach(() => {
      id = freshName();
    });

    test("hides a new app from all but its publisher, in every way, until it is accepted", async () => {
      expect(await publish("1.0.0", { description: "zebra stripes" })).toMatchObject({ id, listed: false });
      await publisher.request("PUT", `/catalog/${id}/page`, { json: { about: "quagga", category: "games" } });
      await publisher.request("PUT", `/catalog/${id}/screenshots`, { form: screenshotsForm([smallPng()]) });
      const ways = ["", "/download", "/download?version=1.0.0", "/icon", "/page", "/screenshots/1"];
      for (const token of [account, publisher.token])
        for (const way of ways) {
          const { status, body } = await ask(`/catalog/${id}${way}`, token);
          expect([way, status, body.error]).toEqual([way, 404, "app_not_found"]);
        }
      const searches = [`&q=${id}`, `&q=${id}&sort=relevance`, "&q=quagga&sort=relevance", "&category=games"];
      for (const query of searches) expect(await listed(query)).toEqual([]);
      expect(await own()).toMatchObject({
        id,
        listed: false,
        version: "1.0.0",
        state: "waiting",
        reason: "",
      });
      expect(await waiting()).toEqual(["1.0.0"]);
      await accept("1.0.0");
      // Another process wrote, which this one notices soon.
      for (const query of ["", ...searches]) await expect.poll(() => listed(query)).toEqual(["1.0.0"]);
      expect((await ask(`/catalog/${id}/page`)).body).toMatchObject({ about: "quagga", category: "games" });
      expect((await ask(`/catalog/${id}/screenshots/1`)).status).toBe(200);
      expect((await ask(`/catalog/${id}/download`)).status).toBe(200);
      expect(await own()).toMatchObject({ listed: true, state: "listed" });
      expect(await waiting()).toEqual([]);
    });

    test("keeps the listed version until the new one is accepted", async () => {
      await publish("1.0.0", { description: "old" });
      await accept("1.0.0");
      await publish("1.1.0", { description: "new" });
      await publisher.request("PUT", `/catalog/${id}/page`, {
        json: { changelog: "secret", version: "1.1.0" },
      });
      await expect.poll(() => listed()).toEqual(["1.0.0"]);
      expect((await ask(`/catalog/${id}`)).body).toMatchObject({
        version: "1.0.0",
        description: "old",
        versions: [{ version: "1.0.0" }],
      });
      expect((await ask(`/catalog/${id}/page`)).body.changelogs).toEqual([]);
      const early = await ask(`/catalog/${id}/download?version=1.1.0`);
      expect([early.status, early.body.error]).toEqual([404, "version_not_found"]);
      expect(await own()).toMatchObject({ listed: true, version: "1.1.0", state: "waiting" });
      await accept("1.1.0");
      await expect.poll(() => listed()).toEqual(["1.1.0"]);
      expect((await ask(`/catalog/${id}`)).body).toMatchObject({ description: "new" });
      expect((await ask(`/catalog/${id}/page`)).body.changelogs).toMatchObject([{ changelog: "secret" }]);
    });

    test("cannot be passed by an order to install, or a rollout", async () => {
      await publish("1.0.0");
      for (const json of [
        { kind: "app", app_id: id },
        { kind: "app", app_id: id, version: "1.0.0" },
      ]) {
        const { status, body } = await request(hub.origin, "POST", "/rollouts", { token: account, json });
        expect([status, body.error]).toEqual([404, "app_not_found"]);
      }
    });

    test("refuses with a reason, which the publisher reads; a corrected version may follow, or the same be accepted", async () => {
      await publish("9.0.0");
      await refuse("9.0.0", "It shows nothing.");
      expect(await own()).toMatchObject({ listed: false, state: "refused", reason: "It shows nothing." });
      expect(await waiting()).toEqual([]);
      await publish("1.0.1"); // a refused version does not count as the newest
      await expect(refuse("7.0.0")).rejects.toMatchObject({ code: "version_not_found" });
      await accept("1.0.1");
      await accept("1.0.1");
      await expect(refuse("1.0.1")).rejects.toMatchObject({ code: "version_exists" });
      await expect.poll(() => listed()).toEqual(["1.0.1"]);
      await accept("9.0.0");
      await expect.poll(() => listed()).toEqual(["9.0.0"]);
    });

    test("lists the newest of the accepted versions, whatever the order of acceptance", async () => {
      await publish("1.0.0");
      await publish("1.1.0");
      expect(await waiting()).toEqual(["1.0.0", "1.1.0"]);
      await accept("1.1.0");
      await expect.poll(() => listed()).toEqual(["1.1.0"]);
      await publisher.request("PUT", `/catalog/${id}`, { json: { description: "as its publisher says" } });
      await accept("1.0.0");
      expect((await ask(`/catalog/${id}`)).body).toMatchObject({
        version: "1.1.0",
        description: "as its publisher says",
        versions: [{ version: "1.1.0" }, { version: "1.0.0" }],
      });
    });

    test("does not list again what its publisher has retracted since", async () => {
      await publish("1.0.0");
      await publisher.request("DELETE", `/catalog/${id}`);
      expect(await waiting()).toEqual([]);
      await expect(accept("1.0.0")).rejects.toMatchObject({ code: "app_retracted" });
      expect(await publish("1.1.0")).toMatchObject({ listed: false });
      expect(await listed()).toEqual([]);
      await accept("1.1.0");
      await expect.poll(() => listed()).toEqual(["1.1.0"]);
      expect((await ask(`/catalog/${id}`)).body.versions).toMatchObject([{ version: "1.1.0" }]);
    });

    test("does not list what was withdrawn with its key while it waited", async () => {
      const stolen = await HubPublisher.register(hub);
      expect((await stolen.publish(await appPackage({ name: id }))).status).toBe(201);
      await withOperator(hub.environment, ({ publishers }) => publishers.revoke(stolen.name));
      expect(await waiting()).toEqual([]);
      await expect(accept("1.0.0")).rejects.toMatchObject({ code: "app_retracted" });
      expect((await ask(`/catalog/${id}`)).status).toBe(404);
    });

    test("is done with svc in the hub's environment", { timeout: 4 * SVC_TIMEOUT_MS }, async () => {
      const svc = (...args: readonly string[]) =>
        runSvcIn(hub.environment as Record<string, string>, ["hub", "review", ...args]);
      await publish("1.0.0", { description: "Blocks", capabilities: ["gpio.read"], target_arch: "rv32" });
      const line = `${id} +1\\.0\\.0 .*may gpio\\.read, for rv32 consoles alone: Blocks`;
      expect(svc("list").stdout).toMatch(new RegExp(line));
      expect(svc("refuse", id, "1.0.0", "--reason", "No icon").stdout).toBe(`refused ${id} 1.0.0\n`);
      expect(svc("accept", id, "1.0.0").stdout).toBe(`accepted ${id} 1.0.0\n`);
      expect(svc("accept", id, "2.0.0")).toMatchObject({ status: 1, stdout: "" });
      await expect.poll(() => listed()).toEqual(["1.0.0"]);
    });
  });
