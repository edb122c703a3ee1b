/**
 * Whose app it is, told by a hub that signs what it serves; and the catalogue without a token
 * (docs/spec/hub-api.md#hub-signs, docs/spec/hub-api.md#public-catalog).
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { withPublishers } from "../../../hub/operator.js";
import { readSuccessions, successionText, voucherText } from "../../../protocol/signature/statements.js";
import { Publisher } from "../../hosts/publisher.js";
import { heldDevice, madeAccount, registeredDevice } from "../api/people.js";
import { bring, nativeBundle, newHubKey, newPublisher } from "../firmware/bringing.js";
import { EMBEDDED_HUB, HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel } from "../push/channel.js";
import { appPackage, freshName, HubPublisher, publishForm } from "./hub-publisher.js";

const hexOf = ({ pem }: Publisher) =>
  Buffer.from(pem.split("\n")[1] ?? "", "base64")
    .subarray(-32)
    .toString("hex");

function holds(publicKey: Uint8Array, message: Uint8Array | string, signature: string | null): boolean {
  const key = createPublicKey({
    key: Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), publicKey]),
    ...({ format: "der", type: "spki" } as const),
  });
  return verify(null, Buffer.from(message as string), key, Buffer.from(signature ?? "", "hex"));
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A hub that signs, on ${name}`, () => {
    const hubKey = newHubKey();
    let hub: HubUnderTest;
    let publisher: HubPublisher;
    beforeAll(async () => {
      const environment = {
        SVC_HUB_ED25519_PRIVATE_KEY: hubKey.pem,
        SVC_HUB_PUBLIC_URL: "https://hub.example/store",
      };
      hub = await start({ environment });
      publisher = await HubPublisher.register(hub);
    });
    afterAll(() => hub?.stop());

    test("sends the publisher's key and signature with a package, and its voucher", async () => {
      const id = freshName();
      const file = await appPackage({ name: id });
      await publisher.publish(file);
      const { headers } = await publisher.get(`/catalog/${id}/download`);
      const digest = createHash("sha256").update(file).digest();
      const key = headers.get("x-svc-publisher-key") ?? "";
      expect(key).toBe(hexOf(publisher.key));
      expect(headers.get("x-svc-publisher-signature")).toBe(publisher.key.sign(file));
      expect(holds(hubKey.publicKey, digest, headers.get("x-svc-signature"))).toBe(true);
      const voucher = headers.get("x-svc-publisher-voucher");
      const vouched = voucherText(digest, Buffer.from(key, "hex"));
      expect(holds(hubKey.publicKey, vouched, voucher)).toBe(true);
      expect(headers.has("x-svc-publisher-succession")).toBe(false);
    });

    test("sends the succession to a publisher's new key", async () => {
      const [old, next] = [publisher.key, new Publisher()];
      const text = successionText(Buffer.from(hexOf(old), "hex"), Buffer.from(hexOf(next), "hex"));
      const signature = Buffer.from(old.signBytes(Buffer.from(text))).toString("hex");
      const succession = `${hexOf(old)}:${hexOf(next)}:${signature}`;
      await withPublishers(hub.environment, (all) => all.keys.add(publisher.name, next.pem, succession));
      const id = freshName();
      const file = await appPackage({ name: id });
      const form = publishForm(file, next.sign(file));
      expect((await publisher.request("POST", "/catalog/publish", { form })).status).toBe(201);
      const { headers } = await publisher.get(`/catalog/${id}/download`);
      expect(headers.get("x-svc-publisher-key")).toBe(hexOf(next));
      expect(readSuccessions(headers.get("x-svc-publisher-succession") ?? "")).toHaveLength(1);
    });

    test("signs a download address other than the one that the console used", async () => {
      const id = freshName();
      await publisher.publish(await appPackage({ name: id }));
      const account = await madeAccount(hub);
      const device = await heldDevice(hub, account);
      const channel = await Channel.open(hub.origin, device.token);
      onTestFinished(() => channel.cut());
      const path = `/devices/${device.deviceId}/apps/${id}/install`;
      await request(hub.origin, "POST", path, { token: account.token });
      const { download_url, download_url_signature } = await channel.next("app.install");
      expect(download_url).toMatch(/^https:\/\/hub\.example\/store\/api\/v1\//);
      expect(holds(hubKey.publicKey, download_url, download_url_signature)).toBe(true);
    });
  });

for (const isOn of [true, false])
  test(`The catalogue can ${isOn ? "" : "not "}be read without a token if SVC_HUB_PUBLIC_CATALOG is ${isOn ? "on" : "missing"}`, async () => {
    const hub = await EMBEDDED_HUB.start({ environment: isOn ? { SVC_HUB_PUBLIC_CATALOG: "on" } : {} });
    onTestFinished(() => hub.stop());
    const publisher = await HubPublisher.register(hub);
    const id = freshName();
    await publisher.publish(await appPackage({ name: id }));
    const maker = await newPublisher(hub);
    await bring(hub, maker, nativeBundle("1.0.0", maker));
    for (const path of [
      ...["/catalog", `/catalog/${id}`, `/catalog/${id}/download`, "/firmware", "/firmware/latest"],
      "/firmware/1.0.0/download",
    ]) {
      expect([path, (await request(hub.origin, "GET", path)).status]).toEqual([path, isOn ? 200 : 401]);
      const wrong = await request(hub.origin, "GET", path, { token: `svca_${"x".repeat(43)}` });
      expect([path, wrong.status]).toEqual([path, 401]);
    }
    const device = await registeredDevice(hub);
    for (const [method, path] of [
      ...[["POST", "/firmware"] as const, ["POST", "/catalog/publish"] as const],
      ...[["GET", "/account/devices"] as const, ["GET", `/devices/${device.deviceId}`] as const],
      ["DELETE", `/catalog/${id}`] as const,
    ])
      expect([path, (await request(hub.origin, method, path)).status]).toEqual([path, 401]);
  });
