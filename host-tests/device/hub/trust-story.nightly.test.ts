/**
 * A real hub and real consoles, where the console's token and its list of apps are concerned
 * (docs/spec/device-hub.md#token-per-hub, docs/spec/device-hub.md#apps-report): each side sees what the other one does,
 * and nothing is emulated.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { askHttp } from "../../hosts/http-client.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { LoadBalancer } from "../../hub/hosts/load-balancer.js";
import { request } from "../../hub/hosts/request.js";
import { svcJson } from "../cli/svc-process.js";
import { HubUser, until } from "./hub-user.js";

/** An app that runs until it is stopped. */
const SPINNING = '(module (memory 1) (func (export "main") (loop (br 0))))';

let hub: HubUnderTest;
let user: HubUser;
let module: Uint8Array;
beforeAll(async () => {
  hub = await EMBEDDED_HUB.start();
  user = await HubUser.on(hub);
  module = await moduleOf(SPINNING);
});
afterAll(() => hub?.stop());

let console: AppConsole;
let usb: UsbClient;
let balancer: LoadBalancer;
let deviceId: string;
beforeEach(async () => {
  balancer = await LoadBalancer.start(hub.origins);
  console = await startAppConsole({ publisher: user.publisher, flags: ["--hub", balancer.origin] });
  deviceId = await user.hold(console);
  usb = await UsbClient.open(console.usb);
  await user.device(deviceId, ({ online }) => online);
});
afterEach(async () => {
  await usb?.close();
  await console?.stop();
  await balancer?.close();
});

const tokenOf = () => readFileSync(path.join(console.state, "kv/svc%2Fhub/device_token"), "utf8");
const me = (token: string, at: HubUnderTest = hub) => request(at.origin, "GET", "/devices/me", { token });
const isKnown = async (token: string, at?: HubUnderTest) => (await me(token, at)).status === 200;
const hubStatus = async () => (await usb.request("GET", "/api/hub")).body;
const setHub = async (url: string, more: Record<string, string> = {}) => {
  const { status } = await usb.request("POST", "/api/hub", { url, ...more });
  expect(status).toBe(200);
};
/** The token that takes the place of this one, once the console has forgotten the old one. */
const tokenAfter = (old: string) =>
  until(
    async () => tokenOf(),
    (token) => token !== old,
  );

test("Token rotation replaces the token on both sides, and the old one stops working", async () => {
  const old = tokenOf();
  expect((await me(old)).body).toMatchObject({ device_id: deviceId });
  const environment = { SVC_HUB_URL: hub.origin, SVC_HUB_TOKEN: user.accountToken };
  expect(await svcJson(["hub", "token", "rotate", deviceId], { environment })).toEqual({ state: "sent" });
  const next = await tokenAfter(old);
  await until(
    async () => (await me(old)).status,
    (status) => status === 401,
  );
  expect((await me(next)).body).toMatchObject({ device_id: deviceId });
  await user.device(deviceId, ({ online }) => online);
  expect(await hubStatus()).toEqual({ url: balancer.origin, connected: true, device_id: deviceId });
  // The account still reaches it, and a restart brings no other token.
  expect((await user.ask("DELETE", `/devices/${deviceId}/apps/none`)).body.state).toBe("sent");
  const from = console.stderr.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await console.waitForLine(/ is ready: /, from);
  await until(hubStatus, ({ connected }) => connected);
  expect(tokenOf()).toBe(next);
});

test("A released console gets a new token and a new claim code, and the old ones stop working", async () => {
  const old = tokenOf();
  await until(hubStatus, (status) => status.claim_code === undefined);
  expect((await user.ask("DELETE", `/account/devices/${deviceId}`)).status).toBe(204);
  for (const at of ["", "/apps", "/commands"])
    expect((await user.ask("GET", `/devices/${deviceId}${at}`)).status).toBe(404);
  const next = await tokenAfter(old);
  await until(
    async () => (await me(old)).status,
    (status) => status === 401,
  );
  const { claim_code } = await until(hubStatus, (status) => status.claim_code !== undefined);
  const other = await HubUser.on(hub);
  const claimed = await other.ask("POST", "/account/devices", { json: { claim_code } });
  expect(claimed).toMatchObject({ status: 200, body: { device_id: deviceId } });
  await other.device(deviceId, ({ online }) => online);
  expect(tokenOf()).toBe(next);
  expect((await user.ask("GET", `/devices/${deviceId}`)).status).toBe(404);
  const again = await user.ask("POST", "/account/devices", { json: { claim_code } });
  expect(again).toMatchObject({ status: 404, body: { error: "claim_code_unknown" } });
});

test("The hub shows apps installed at the console, and whether they run", async () => {
  const file = packageOf(module, { name: "chess", version: "1.2.0" });
  const told = (holds: (apps: readonly { running: boolean }[]) => boolean) =>
    until(
      async () => (await request(hub.origin, "GET", "/devices/me/apps", { token: tokenOf() })).body.apps,
      holds,
    );
  await told(({ length }) => length === 0);
  expect((await installOverHttp(console, { file, signature: user.publisher.sign(file) })).status).toBe(200);
  const entry = { app_id: "chess", name: "chess", version: "1.2.0", state: "installed" };
  expect(await told(({ length }) => length === 1)).toMatchObject([{ ...entry, running: false }]);
  await console.app("start", "chess");
  expect(await told(([app]) => app?.running === true)).toMatchObject([entry]);
  expect(await user.apps(deviceId)).toMatchObject([{ ...entry, running: true }]);
  await console.app("stop", "chess");
  await told(([app]) => app?.running === false);
  await console.app("uninstall", "chess");
  await told(({ length }) => length === 0);
});

test("A later push replaces earlier unfinished ones", async () => {
  const versions = ["1.0.0", "1.1.0", "1.2.0"];
  for (const version of versions)
    expect((await user.publishApp(packageOf(module, { name: "overtaken", version }))).status).toBe(201);
  const { someone, release } = balancer.hold();
  const push = async (version: string): Promise<string> =>
    (await user.ask("POST", `/devices/${deviceId}/apps/overtaken/install`, { json: { version } })).body
      .command_id;
  const first = await push("1.0.0");
  await someone; // fetches it
  const [second, third] = [await push("1.1.0"), await push("1.2.0")];
  release();
  expect(await user.ended(deviceId, third)).toMatchObject({ state: "done" });
  for (const overtaken of [first, second])
    expect(await user.ended(deviceId, overtaken)).toMatchObject({ state: "replaced" });
  expect(await console.apps()).toMatchObject([{ name: "overtaken", version: "1.2.0" }]);
  expect(await user.apps(deviceId)).toMatchObject([{ version: "1.2.0", state: "installed" }]);
});

test("A console keeps its token with same_hub, and registers with another hub under another token", async () => {
  const first = tokenOf();
  const moved = await LoadBalancer.start(hub.origins);
  onTestFinished(() => moved.close());
  await setHub(moved.origin, { same_hub: "true" });
  // Connected first; then the hub reports that an account has the console, which ends its claim code.
  const status = await until(hubStatus, (one) => one.connected && one.claim_code === undefined);
  expect(tokenOf()).toBe(first);
  expect(status).toEqual({ url: moved.origin, connected: true, device_id: deviceId });
  const elsewhere = await EMBEDDED_HUB.start();
  onTestFinished(() => elsewhere.stop());
  await setHub(elsewhere.origin);
  const registered = await until(hubStatus, ({ connected }) => connected);
  expect(registered.device_id).not.toBe(deviceId);
  const second = tokenOf();
  expect(second).not.toBe(first);
  expect([await isKnown(first), await isKnown(second)]).toEqual([true, false]);
  expect([await isKnown(first, elsewhere), await isKnown(second, elsewhere)]).toEqual([false, true]);
  // Back at the first one it is the console that it was.
  await setHub(moved.origin);
  await until(hubStatus, ({ connected }) => connected);
  expect([tokenOf(), (await hubStatus()).device_id]).toEqual([first, deviceId]);
});
