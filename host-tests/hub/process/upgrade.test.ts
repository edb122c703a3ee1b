/**
 * A hub of version 0.1.0 with something of everything in it (host-tests/fixtures/0.1.0/hub), as this one takes it over
 * (docs/spec/conventions.md#older-peers).
 */
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { withPublishers } from "../../../hub/operator.js";
import { HubProcess } from "../hosts/hub-process.js";
import { CLUSTERED_HUB } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel } from "../push/channel.js";
import { KEPT, type KeptHub, keptOnPostgres, keptOnSqlite, people } from "./kept-hub.js";

for (const { name, missing, keep } of [
  { name: "SQLite", missing: undefined, keep: keptOnSqlite },
  { name: "PostgreSQL", missing: CLUSTERED_HUB.missing, keep: keptOnPostgres },
])
  describe.skipIf(missing)(`A hub of 0.1.0 on ${name}`, () => {
    let kept: KeptHub;
    let hub: HubProcess;
    beforeAll(async () => {
      kept = await keep();
      hub = await HubProcess.start(kept.environment);
    });
    afterAll(async () => {
      await hub?.stop();
      await kept?.release();
    });
    const ask = (token: string, method: string, place: string) =>
      request(hub.origin, method, place, { token });

    test("reports at the upgrade which publishers keep the right to firmware", async () => {
      expect(
        hub.stderr.filter((line) => line.includes('\\"Pixel Works\\" has published firmware')),
      ).toHaveLength(1);
      expect(hub.stderr.filter((line) => line.includes("Ada"))).toHaveLength(0);
      const rights = await withPublishers(kept.environment, (all) => all.list());
      expect(rights.map(({ name, firmware }) => [name, firmware])).toEqual([
        ["Ada", []],
        ["Pixel Works", ["native"]],
      ]);
    });

    test("accepts firmware from those publishers alone", async () => {
      const other = await ask(people.other_publisher.token, "POST", "/firmware");
      expect(other.status).toBe(415); // which any form is past
      const form = new FormData();
      form.set("bundle", new Blob([new Uint8Array(10)]), "f.svcfw");
      const post = (token: string) => request(hub.origin, "POST", "/firmware", { token, form });
      expect((await post(people.other_publisher.token)).body.error).toBe("forbidden");
      expect((await post(people.publisher.token)).body.error).toBe("bundle_magic");
    });

    test("has its account, its consoles and their commands", async () => {
      const { body } = await ask(people.account.account_token, "GET", "/account/devices");
      expect(body.total).toBe(2);
      const channel = await Channel.open(hub.origin, people.device.token);
      onTestFinished(() => channel.close());
      expect((await channel.next("app.install")).command_id).toBe(people.commands.app);
      expect((await channel.next("firmware.update")).command_id).toBe(people.commands.firmware);
    });

    test("keeps one record per MAC: the claimed one, or else the one seen last", async () => {
      const [older, newer] = people.reset;
      expect((await ask(older.token, "GET", "/devices/me")).status).toBe(401);
      expect((await ask(newer.token, "GET", "/devices/me")).body.device_id).toBe(newer.device_id);
      expect((await ask(people.held.token, "GET", "/devices/me")).body.claimed).toBe(true);
      expect((await ask(people.twin.token, "GET", "/devices/me")).status).toBe(401);
    });

    test("serves its packages and bundles", async () => {
      const served: string[] = [];
      for (const place of [
        ...["1.0.0", "1.1.0"].map((version) => `/catalog/bricks/download?version=${version}`),
        ...["0.2.0", "0.3.0"].map((version) => `/firmware/${version}/download`),
      ]) {
        const { status, bytes, headers } = await ask(people.device.token, "GET", place);
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        expect([place, status, headers.get("etag")]).toEqual([place, 200, `"${sha256}"`]);
        served.push(sha256);
      }
      // In the store a file has the name of its SHA-256: each is as it was kept, to the byte.
      expect(served.sort()).toEqual((await readdir(path.join(KEPT, "files"))).sort());
      const { body } = await ask(people.device.token, "GET", "/firmware/latest");
      expect([body.version, served.includes(body.sha256)]).toEqual(["0.3.0", true]);
    });

    test("withdraws what a key that is now revoked has signed", async () => {
      const keys = await withPublishers(kept.environment, (all) => all.keys.list("Pixel Works"));
      const revoke = (hex: string) =>
        withPublishers(kept.environment, (all) =>
          all.keys.revoke("Pixel Works", keys.find(({ public_key }) => public_key === hex)?.key_id ?? ""),
        );
      const apps = await revoke(people.keys.second);
      expect(apps.withdrawn).toEqual({ apps: [{ app_id: "bricks", version: "1.1.0" }], firmware: [] });
      const firmware = await revoke(people.keys.firmware);
      expect(firmware.withdrawn.firmware.map(({ version }) => version).sort()).toEqual(["0.2.0", "0.3.0"]);
      expect((await ask(people.device.token, "GET", "/firmware/latest")).body.error).toBe(
        "firmware_not_found",
      );
      expect((await ask(people.device.token, "GET", "/catalog/bricks")).body.version).toBe("1.0.0");
    });
  });
