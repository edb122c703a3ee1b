/**
 * A real hub and real consoles, where keys are concerned (docs/spec/apps.md#from-hub, docs/spec/keys.md#roles,
 * docs/spec/hub-api.md#hub-signs): who may publish what, what is withdrawn, which keys are trusted no more, and
 * whose an app is.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withPublishers } from "../../../hub/operator.js";
import type { KeyRole } from "../../../protocol/keys/pem-reader.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { moduleOf, packageOf, type TestManifest } from "../../hosts/app-files.js";
import { type FirmwareConsole, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { bundleOf, firmwareBundle } from "../../hosts/firmware-files.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { HubPublisher, publishForm } from "../../hub/catalog/hub-publisher.js";
import { simulatorImage } from "../../hub/firmware/bringing.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { svcJson } from "../cli/svc-process.js";
import { HubUser, until } from "./hub-user.js";

/** An app that runs until it is stopped. */
const SPINNING = '(module (memory 1) (func (export "main") (loop (br 0))))';

const folder = mkdtempSync(path.join(tmpdir(), "publishers-"));
const fileOf = (name: string) => path.join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let module: Uint8Array;
beforeAll(async () => {
  module = await moduleOf(SPINNING);
});
const app = (fields: Partial<TestManifest>) => packageOf(module, fields);

/** Directory of a console that trusts these keys. */
function stateTrusting(name: string, keys: readonly (readonly [Publisher, readonly KeyRole[]])[]): string {
  const state = fileOf(name);
  mkdirSync(path.join(state, "lfs/hub"), { recursive: true });
  const blocks = keys.map(([{ pem }, roles]) => `# roles: ${roles.join(", ")}\n${pem}`);
  writeFileSync(path.join(state, "lfs/hub/trusted_keys.pem"), blocks.join(""));
  return state;
}

const installed = async ({ http }: FirmwareConsole) => getJson(`${http}/api/apps/list`);
const stateOf = async (console: FirmwareConsole, name: string): Promise<string | undefined> =>
  (await installed(console)).find((entry: { name: string }) => entry.name === name)?.state;
const start = async ({ http }: FirmwareConsole, name: string) =>
  (await askHttp(`${http}/api/apps/start?name=${name}`, { method: "POST" })).status;

describe("A console whose keys have roles, on a hub with publishers' rights", () => {
  let hub: HubUnderTest;
  let user: HubUser;
  let console: FirmwareConsole;
  let deviceId: string;
  /** Trusted for apps by the console; at the hub they have the rights that a test says. */
  let maker: HubPublisher;
  /** Trusted for firmware. */
  let vendor: HubPublisher;
  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start();
    user = await HubUser.on(hub);
    [maker, vendor] = [await HubPublisher.register(hub), await HubPublisher.register(hub)];
    const state = stateTrusting("roles", [
      [maker.key, ["app"]],
      [vendor.key, ["firmware"]],
      [user.publisher, ["app", "firmware"]],
    ]);
    console = await startFirmwareConsole({
      state,
      flags: ["--hub", hub.origin, "--config", "CONFIG_SVC_HUB_AUTO_UPDATE=on"],
    });
    deviceId = await user.hold(console);
    await user.device(deviceId, ({ online }) => online);
  });
  afterAll(async () => {
    await console?.stop();
    await hub?.stop();
  });

  const operator = (...args: readonly string[]) => svcJson(args, { environment: hub.environment });
  const bring = (publisher: HubPublisher, bundle: Uint8Array, version: string) => {
    const form = new FormData();
    form.set("bundle", new Blob([Uint8Array.from(bundle)]), "firmware.svcfw");
    form.set("version", version);
    form.set("arch", "native");
    return publisher.request("POST", "/firmware", { form });
  };
  const pushFirmware = (version: string) =>
    user.ask("POST", `/devices/${deviceId}/firmware`, { json: { version } });

  test("firmware of a publisher without --firmware is 403 before the bundle is read, and with it 201", async () => {
    const { hostname, port } = new URL(hub.origin);
    const socket = connect(Number(port), hostname);
    const head = [
      ...["POST /api/v1/firmware HTTP/1.1", `Host: ${hostname}`, `Authorization: Bearer ${vendor.token}`],
      ...["Content-Type: multipart/form-data; boundary=b", "Content-Length: 1000000", "", ""],
    ];
    socket.write(head.join("\r\n")); // and nothing of the bundle
    const answer = await new Promise<string>((resolve) => socket.once("data", (data) => resolve(`${data}`)));
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*"forbidden"/);
    await operator("hub", "publisher", "firmware", vendor.name, "native");
    const bundle = await firmwareBundle({ version: "0.2.0" }, vendor.key);
    expect(await bring(vendor, bundle, "0.2.0")).toMatchObject({ status: 201, body: { version: "0.2.0" } });
  });

  test("firmware of a publisher with the right is staged, tried and confirmed", async () => {
    const given = await pushFirmware("0.2.0");
    expect(given.status).toBe(202);
    const told = (state: string) =>
      user.command(deviceId, given.body.command_id, ({ progress }) => progress === state);
    await told("staged");
    const from = console.stderr.length;
    await askHttp(`${console.http}/api/reboot`, { method: "POST" });
    await console.started("update", from);
    await told("pending_confirm");
    await askHttp(`${console.http}/api/ota/confirm`, { method: "POST" });
    expect(await told("confirmed")).toMatchObject({ state: "done" });
    await user.device(deviceId, ({ firmware_version }) => firmware_version === "0.2.0");
  });

  test("withdrawn firmware is 410, and is not listed", async () => {
    const at = "/firmware/0.2.0?arch=native";
    expect((await maker.request("DELETE", at)).body).toMatchObject({ error: "not_owner" });
    expect((await vendor.request("DELETE", at)).status).toBe(204);
    const gone = { status: 410, body: { error: "firmware_withdrawn" } };
    expect(await user.ask("GET", "/firmware/0.2.0/download?arch=native")).toMatchObject(gone);
    expect(await pushFirmware("0.2.0")).toMatchObject(gone);
    expect((await user.ask("GET", "/firmware/latest?arch=native")).status).toBe(404);
    expect((await user.ask("GET", "/firmware")).body.firmware).toEqual([]);
  });

  test("the console rejects firmware signed by an app key, although the hub accepted it", async () => {
    await operator("hub", "publisher", "firmware", maker.name, "native");
    const bundle = bundleOf(simulatorImage(100, { version: "0.3.0" }), maker.key);
    expect((await bring(maker, bundle, "0.3.0")).status).toBe(201);
    const given = await pushFirmware("0.3.0");
    expect(await user.ended(deviceId, given.body.command_id)).toMatchObject({
      state: "failed",
      progress: "rejected",
      error: "signature_invalid",
    });
    expect(await console.ota()).toMatchObject({ state: "idle" });
  });

  test("revoking a publisher retracts its apps and withdraws its firmware, and stops no running app", async () => {
    const file = app({ name: "bricks" });
    expect((await maker.publish(file)).status).toBe(201);
    const given = await user.ask("POST", `/devices/${deviceId}/apps/bricks/install`);
    expect(await user.ended(deviceId, given.body.command_id)).toMatchObject({ state: "done" });
    expect(await start(console, "bricks")).toBe(200);
    await user.publishApp(app({ name: "others" }));
    const others = await user.ask("POST", `/devices/${deviceId}/apps/others/install`);
    expect(await user.ended(deviceId, others.body.command_id)).toMatchObject({ state: "done" });
    expect(await start(console, "others")).toBe(200);
    expect(await operator("hub", "publisher", "revoke", maker.name)).toMatchObject({
      withdrawn: {
        apps: [{ app_id: "bricks", version: "1.0.0" }],
        firmware: [{ arch: "native", version: "0.3.0" }],
      },
    });
    for (const at of ["/catalog/bricks", "/catalog/bricks/download"])
      expect(await user.ask("GET", at)).toMatchObject({ status: 410, body: { error: "app_retracted" } });
    expect(await user.ask("GET", "/firmware/0.3.0/download?arch=native")).toMatchObject({ status: 410 });
    expect((await maker.publish(app({ name: "bricks", version: "2.0.0" }))).status).toBe(401);
    // The hub's word alone stops nothing: that takes a list of a firmware key.
    expect(await stateOf(console, "bricks")).toBe("running");
  });

  test("a pushed list of revoked keys stops the publisher's app and rejects it, on the console too", async () => {
    writeFileSync(fileOf("vendor.pem"), vendor.key.privatePem);
    writeFileSync(fileOf("maker.pub.pem"), maker.key.pem);
    const made = ["keys", "revoke", fileOf("maker.pub.pem"), "--key", fileOf("vendor.pem")];
    await svcJson([...made, "--number", "1", "--out", fileOf("list")]);
    expect(await operator("hub", "keys", "revoke", fileOf("list"))).toEqual({ number: 1, keys: 1 });
    await until(
      () => stateOf(console, "bricks"),
      (state) => state === "stopped",
    );
    expect(await getJson(`${console.http}/api/keys/revocations`)).toEqual({ number: 1, revoked: 1 });
    expect(await stateOf(console, "others")).toBe("running");
    expect(await start(console, "bricks")).toBe(403);
    const file = app({ name: "bricks", version: "1.1.0" });
    const refused = await installOverHttp(console, { file, signature: maker.key.sign(file) });
    expect(refused).toMatchObject({ status: 403, body: { error: "signature_invalid" } });
    const known = await until(
      () => user.apps(deviceId),
      (apps) =>
        apps.some(({ name, running }: { name: string; running: boolean }) => name === "bricks" && !running),
    );
    expect(known).toHaveLength(2);
  });
});

describe("A console that trusts only the hub, which signs every file", () => {
  const hubKey = new Publisher();
  let hub: HubUnderTest;
  let user: HubUser;
  let console: FirmwareConsole;
  let deviceId: string;
  let [first, second]: HubPublisher[] = [];
  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_ED25519_PRIVATE_KEY: hubKey.privatePem } });
    user = await HubUser.on(hub);
    [first, second] = [await HubPublisher.register(hub), await HubPublisher.register(hub)];
    const state = stateTrusting("hub-only", [[hubKey, ["hub", "app"]]]);
    console = await startFirmwareConsole({ state, flags: ["--hub", hub.origin] });
    deviceId = await user.hold(console);
    await user.device(deviceId, ({ online }) => online);
  });
  afterAll(async () => {
    await console?.stop();
    await hub?.stop();
  });

  /** How a push ends. */
  const pushed = async (name: string, json: { version: string; downgrade?: boolean }) => {
    const given = await user.ask("POST", `/devices/${deviceId}/apps/${name}/install`, { json });
    expect(given.status).toBe(202);
    return user.ended(deviceId, given.body.command_id);
  };
  const entry = async (name: string) =>
    (await installed(console)).find((one: { name: string }) => one.name === name);

  test("an app has the publisher that the hub vouches for, and another publisher cannot replace it", async () => {
    const file = app({ name: "chess", version: "1.0.0" });
    expect((await first?.publish(file))?.status).toBe(201);
    expect(await pushed("chess", { version: "1.0.0" })).toMatchObject({ state: "done" });
    expect(await entry("chess")).toMatchObject({ publisher: first?.key.hex.slice(0, 16) });
    const taken = await second?.publish(app({ name: "chess", version: "2.0.0" }));
    expect(taken).toMatchObject({ status: 403, body: { error: "not_owner" } });
    // A file as it was downloaded from a hub where the name is the second publisher's.
    const others = app({ name: "go", version: "1.0.0" });
    const voucher = hubKey.vouchFor(second?.key as Publisher, others);
    const brought = { file: others, signature: hubKey.sign(others), publisher: voucher };
    expect((await installOverHttp(console, brought)).status).toBe(200);
    expect((await first?.publish(app({ name: "go", version: "2.0.0" })))?.status).toBe(201);
    expect(await pushed("go", { version: "2.0.0" })).toMatchObject({
      state: "failed",
      error: "publisher_mismatch",
    });
    expect(await entry("go")).toMatchObject({ version: "1.0.0", publisher: second?.key.hex.slice(0, 16) });
    await askHttp(`${console.http}/api/apps/uninstall?name=go`, { method: "POST" });
    expect(await pushed("go", { version: "2.0.0" })).toMatchObject({ state: "done" });
  });

  test("an older version fails with version_older, and installs if the push allows a downgrade", async () => {
    expect((await first?.publish(app({ name: "chess", version: "1.1.0" })))?.status).toBe(201);
    expect(await pushed("chess", { version: "1.1.0" })).toMatchObject({ state: "done" });
    const older = { version: "1.0.0" };
    expect(await pushed("chess", older)).toMatchObject({ state: "failed", error: "version_older" });
    expect(await entry("chess")).toMatchObject({ version: "1.1.0" });
    expect(await pushed("chess", { ...older, downgrade: true })).toMatchObject({ state: "done" });
    expect(await entry("chess")).toMatchObject({ version: "1.0.0" });
  });

  test("a publisher's new key continues its apps only with a succession", async () => {
    const [next, stray] = [new Publisher(), new Publisher()];
    const publisher = first as HubPublisher;
    writeFileSync(fileOf("old.pem"), publisher.key.privatePem);
    writeFileSync(fileOf("new.pub.pem"), next.pem);
    const out = ["--out", fileOf("new.succession")];
    await svcJson(["key", "succeed", "--old", fileOf("old.pem"), "--new", fileOf("new.pub.pem"), ...out]);
    const add = ["hub", "key", "add", publisher.name, "--key", fileOf("new.pub.pem")];
    const added = await svcJson([...add, "--succession", fileOf("new.succession")], {
      environment: hub.environment,
    });
    expect(added).toMatchObject({ public_key: next.hex, succeeds: [publisher.key.hex] });
    await withPublishers(hub.environment, (all) => all.keys.add(publisher.name, stray.pem));
    const publish = (version: string, key: Publisher) => {
      const file = app({ name: "chess", version });
      const form = publishForm(file, key.sign(file));
      return publisher.request("POST", "/catalog/publish", { form });
    };
    const versions = [
      ["2.0.0", stray],
      ["3.0.0", next],
      ["4.0.0", publisher.key],
    ] as const;
    for (const [version, key] of versions) expect((await publish(version, key)).status).toBe(201);
    expect(await pushed("chess", { version: "2.0.0" })).toMatchObject({ error: "publisher_mismatch" });
    expect(await pushed("chess", { version: "3.0.0" })).toMatchObject({ state: "done" });
    expect(await entry("chess")).toMatchObject({ version: "3.0.0", publisher: next.hex.slice(0, 16) });
    expect(await pushed("chess", { version: "4.0.0" })).toMatchObject({ error: "publisher_mismatch" });
  });
});
