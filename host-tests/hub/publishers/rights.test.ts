/**
 * Hub rights (docs/spec/hub-api.md#firmware-right): who may bring firmware, and what is withdrawn is offered no more.
 */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { withPublishers } from "../../../hub/operator.js";
import type { Publishers } from "../../../hub/publishers/publishers.js";
import { Publisher } from "../../hosts/publisher.js";
import { newSigner } from "../../unit/protocol/firmware/bundling.js";
import { heldDevice, madeAccount, type TestAccount } from "../api/people.js";
import { pemOf } from "../api/world.js";
import { appPackage, freshName, HubPublisher, publishForm } from "../catalog/hub-publisher.js";
import { bring, nativeBundle, newPublisher, type TestPublisher, xtensaBundle } from "../firmware/bringing.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel, commandOf } from "../push/channel.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Rights on ${name}`, () => {
    let hub: HubUnderTest;
    let account: TestAccount;
    let minor = 0;
    beforeAll(async () => {
      hub = await start();
      account = await madeAccount(hub);
    });
    afterAll(() => hub?.stop());

    const operate = <Result>(use: (all: Publishers) => Promise<Result>) =>
      withPublishers(hub.environment, use);
    const ask = (method: string, path: string, json?: unknown, token = account.token) =>
      request(hub.origin, method, path, { token, ...(json !== undefined && { json }) });
    const nextVersion = () => `1.${++minor}.0`;
    const brought = async (publisher: TestPublisher) => {
      const version = nextVersion();
      const { status } = await bring(hub, publisher, nativeBundle(version, publisher));
      expect(status).toBe(201);
      return version;
    };
    const latest = async () => (await ask("GET", "/firmware/latest?arch=native")).body;
    const codeOf = ({ status, body }: { status: number; body: { error?: string } }) => [status, body?.error];

    test("firmware is accepted only from publishers to whom the operator has given the right", async () => {
      const publisher = await newPublisher(hub, []);
      const bundle = nativeBundle(nextVersion(), publisher);
      expect(codeOf(await bring(hub, publisher, bundle))).toEqual([403, "forbidden"]);
      await operate((all) => all.setFirmware(publisher.name, ["native"]));
      expect((await bring(hub, publisher, bundle)).status).toBe(201);
      await operate((all) => all.setFirmware(publisher.name, []));
      const next = nativeBundle(nextVersion(), publisher);
      expect(codeOf(await bring(hub, publisher, next))).toEqual([403, "forbidden"]);
    });

    test("the right is given by architecture", async () => {
      const publisher = await newPublisher(hub, ["native"]);
      const refused = await bring(hub, publisher, xtensaBundle(nextVersion(), publisher));
      expect(codeOf(refused)).toEqual([403, "forbidden"]);
      expect(refused.body.message).toContain("xtensa");
    });

    test("a right for an unknown architecture is rejected", async () => {
      const refused = operate((all) => all.add(freshName(), new Publisher().pem, ["mips"]));
      await expect(refused).rejects.toMatchObject({ code: "bad_parameter" });
    });

    test("a publisher without the right is rejected before a byte of the bundle is read", async () => {
      const { token } = await newPublisher(hub, []);
      const { hostname, port } = new URL(hub.origin);
      const socket = connect(Number(port), hostname);
      onTestFinished(() => void socket.destroy());
      const head = [
        ...["POST /api/v1/firmware HTTP/1.1", `Host: ${hostname}`, `Authorization: Bearer ${token}`],
        ...["Content-Type: multipart/form-data; boundary=b", "Content-Length: 1000000", "", ""],
      ];
      socket.write(head.join("\r\n")); // and nothing of the body
      const answer = await new Promise<string>((resolve) =>
        socket.once("data", (data) => resolve(`${data}`)),
      );
      expect(answer).toContain("HTTP/1.1 403");
      expect(answer).toContain('"forbidden"');
    });

    test("withdrawn firmware is 410, and the newest is the previous one", async () => {
      const publisher = await newPublisher(hub);
      const before = await brought(publisher);
      const version = await brought(publisher);
      expect((await latest()).version).toBe(version);
      const path = `/firmware/${version}?arch=native`;
      expect((await ask("DELETE", path, undefined, publisher.token)).status).toBe(204);
      expect((await ask("DELETE", path, undefined, publisher.token)).status).toBe(204);
      expect((await latest()).version).toBe(before);
      const download = await ask("GET", `/firmware/${version}/download?arch=native`);
      expect(codeOf(download)).toEqual([410, "firmware_withdrawn"]);
      const list = await ask("GET", "/firmware?per_page=100");
      expect(list.body.firmware.map((one: { version: string }) => one.version)).not.toContain(version);
      const device = await heldDevice(hub, account);
      const push = await ask("POST", `/devices/${device.deviceId}/firmware`, { version });
      expect(codeOf(push)).toEqual([410, "firmware_withdrawn"]);
      const rollout = { kind: "firmware", arch: "native", version };
      expect(codeOf(await ask("POST", "/rollouts", rollout))).toEqual([410, "firmware_withdrawn"]);
      const again = nativeBundle(version, publisher);
      expect(codeOf(await bring(hub, publisher, again))).toEqual([409, "version_exists"]);
    });

    test("after a withdrawal any version above the remaining ones is accepted", async () => {
      const publisher = await newPublisher(hub);
      await brought(publisher);
      const stolen = nativeBundle("99.0.0", publisher);
      expect((await bring(hub, publisher, stolen)).status).toBe(201);
      await operate((all) => all.withdrawFirmware("99.0.0"));
      const next = await brought(publisher);
      expect((await latest()).version).toBe(next);
    });

    test("a withdrawal cancels pending updates, and stops rollouts", async () => {
      const publisher = await newPublisher(hub);
      const version = await brought(publisher);
      const other = await heldDevice(hub, account);
      const pushed = await ask("POST", `/devices/${other.deviceId}/firmware`, { version });
      const rollout = await ask("POST", "/rollouts", {
        kind: "firmware",
        arch: "native",
        version,
        devices: { ids: [(await heldDevice(hub, account)).deviceId] },
      });
      expect([pushed.status, rollout.status]).toEqual([202, 201]);
      await operate((all) => all.withdrawFirmware(version, "native"));
      expect(await commandOf(hub.origin, other, pushed.body.command_id)).toMatchObject({
        state: "cancelled",
      });
      const { body } = await ask("GET", `/rollouts/${rollout.body.rollout_id}`);
      expect(body).toMatchObject({ state: "stopped", reason: `native ${version} was withdrawn` });
      const channel = await Channel.open(hub.origin, other.token);
      onTestFinished(() => channel.close());
      await ask("DELETE", `/devices/${other.deviceId}/apps/last-word`);
      await channel.next("app.uninstall");
      expect(channel.messages.map(({ type }) => type)).not.toContain("firmware.update");
    });

    test("a revoked publisher's apps and firmware are withdrawn, and its token and key rejected", async () => {
      const publisher = await newPublisher(hub);
      const before = await latest();
      const version = await brought(publisher);
      const owner = await HubPublisher.register(hub);
      const app = freshName();
      expect((await owner.publish(await appPackage({ name: app }))).status).toBe(201);
      const device = await heldDevice(hub, account);
      const pushed = await ask("POST", `/devices/${device.deviceId}/apps/${app}/install`);
      const { withdrawn } = await operate((all) => all.revoke(publisher.name));
      expect(withdrawn).toEqual({ apps: [], firmware: [{ arch: "native", version }] });
      expect((await latest()).version).toBe(before.version);
      await operate((all) => all.revoke(owner.name));
      expect(codeOf(await ask("GET", `/catalog/${app}`))).toEqual([410, "app_retracted"]);
      expect(codeOf(await ask("GET", `/catalog/${app}/download`))).toEqual([410, "app_retracted"]);
      expect(await commandOf(hub.origin, device, pushed.body.command_id)).toMatchObject({
        state: "cancelled",
      });
      expect((await owner.get("/catalog")).status).toBe(401);
      const keys = await operate((all) => all.keys.list(owner.name));
      expect(keys.every(({ revoked_at }) => revoked_at !== null)).toBe(true);
    });

    test("a revoked key withdraws what it has signed, and nothing else", async () => {
      const publisher = await HubPublisher.register(hub);
      await operate((all) => all.setFirmware(publisher.name, ["native"]));
      const [second, signer] = [new Publisher(), newSigner()];
      for (const pem of [second.pem, pemOf(signer)])
        await operate((all) => all.keys.add(publisher.name, pem));
      const name = freshName();
      const [one, two] = [await appPackage({ name }), await appPackage({ name, version: "2.0.0" })];
      expect((await publisher.publish(one)).status).toBe(201);
      const form = publishForm(two, second.sign(two));
      expect((await publisher.request("POST", "/catalog/publish", { form })).status).toBe(201);
      const version = await brought({ ...publisher, signer });
      const keyOf = async (pem: string) => {
        const keys = await operate((all) => all.keys.list(publisher.name));
        const hex = Buffer.from(pem.split("\n")[1] ?? "", "base64")
          .subarray(-32)
          .toString("hex");
        return keys.find(({ public_key }) => public_key === hex)?.key_id ?? "";
      };
      const second_id = await keyOf(second.pem);
      const { withdrawn } = await operate((all) => all.keys.revoke(publisher.name, second_id));
      expect(withdrawn).toEqual({ apps: [{ app_id: name, version: "2.0.0" }], firmware: [] });
      const { body } = await ask("GET", `/catalog/${name}`);
      expect(body).toMatchObject({ version: "1.0.0", versions: [{ version: "1.0.0" }] });
      expect(codeOf(await ask("GET", `/catalog/${name}/download?version=2.0.0`))).toEqual([
        410,
        "app_retracted",
      ]);
      const firmwareKey = await keyOf(pemOf(signer));
      const again = await operate((all) => all.keys.revoke(publisher.name, firmwareKey));
      expect(again.withdrawn.firmware).toEqual([{ arch: "native", version }]);
      // A version between the remaining and the withdrawn one.
      const next = await appPackage({ name, version: "1.1.0" });
      expect((await publisher.publish(next)).status).toBe(201);
    });
  });
