/**
 * A real console that knows its hub by another address than the hub itself: what the hub sends it to fetch comes from
 * where the console reaches the hub.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Certificate, CertificateMaker } from "../../hosts/certificates.js";
import { type FirmwareConsole, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { getJson } from "../../hosts/http-client.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { overUsb } from "../../hosts/usb-client.js";
import { appPackage, freshName } from "../../hub/catalog/hub-publisher.js";
import { AddressProxy, type AddressProxyOptions } from "../../hub/hosts/address-proxy.js";
import { HUBS, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { HubUser } from "./hub-user.js";

interface HubSetup {
  readonly name: string;
  readonly isSecure?: true;
  readonly proxy?: Omit<AddressProxyOptions, "to" | "certificate">;
  /** `SVC_HUB_PUBLIC_URL` */
  readonly publicUrl?: (proxy: AddressProxy) => string;
  /** What the addresses begin with that the hub writes. */
  readonly written: (proxy: AddressProxy) => string;
}

const ANOTHER_SPELLING = ({ port }: AddressProxy) => `http://127.0.0.1:${port}`;
const SETUPS: readonly HubSetup[] = [
  {
    name: "with another spelling in SVC_HUB_PUBLIC_URL",
    publicUrl: ANOTHER_SPELLING,
    written: ANOTHER_SPELLING,
  },
  {
    name: "with an unreachable SVC_HUB_PUBLIC_URL",
    publicUrl: () => "https://hub.invalid/console",
    written: () => "https://hub.invalid/console",
  },
  {
    name: "behind a proxy that terminates TLS (skipped without openssl)",
    isSecure: true,
    written: ({ port }) => `http://localhost:${port}`,
  },
  {
    name: "behind a proxy that changes host and path",
    proxy: { host: "hub_backend", path: "/api/v1/console" },
    written: () => "http://hub_backend",
  },
];

let directory: ReturnType<typeof temporaryDirectory>;
let certificate: Certificate | undefined;
let certificateFile = "";
beforeAll(() => {
  directory = temporaryDirectory();
  if (isMissing("openssl")) return;
  const maker = new CertificateMaker(directory.path);
  certificate = maker.make({ commonName: "hub", names: ["DNS:localhost"] });
  certificateFile = maker.save(certificate);
});
afterAll(() => directory.remove());

/** A hub that is set up like this. */
async function startBehind(
  { isSecure, proxy: options, publicUrl }: HubSetup,
  start: (typeof HUBS)[number]["start"],
) {
  let hub: HubUnderTest | undefined;
  const secure = isSecure && certificate ? { certificate } : {};
  const proxy = await AddressProxy.start({ ...options, ...secure, to: () => `${hub?.origin}` });
  onTestFinished(() => proxy.close());
  hub = await start(publicUrl && { environment: { SVC_HUB_PUBLIC_URL: publicUrl(proxy) } });
  const started = hub;
  onTestFinished(() => started.stop());
  return { hub, proxy };
}

async function startConsole(user: HubUser, url: string): Promise<FirmwareConsole> {
  const flags = ["--hub", url, ...(url.startsWith("https:") ? ["--hub-ca", certificateFile] : [])];
  const console = await startFirmwareConsole({ publisher: user.publisher, flags });
  onTestFinished(async () => void (await console.stop()));
  return console;
}

async function publishFirmware(user: HubUser, version: string): Promise<void> {
  const form = new FormData();
  const bundle = await firmwareBundle({ version }, user.publisher);
  form.set("bundle", new Blob([Uint8Array.from(bundle)]), `svc-${version}.svcfw`);
  expect(await user.publish("POST", "/firmware", form)).toMatchObject({ status: 201 });
}

for (const { name: hubName, missing, start } of HUBS)
  for (const setup of SETUPS)
    describe.skipIf(missing || (setup.isSecure && isMissing("openssl")))(`A console on ${hubName}`, () => {
      test(`${setup.name} downloads the app and the firmware pushed to it`, async () => {
        const { hub, proxy } = await startBehind(setup, start);
        const user = await HubUser.on(hub);
        const console = await startConsole(user, proxy.url);
        const deviceId = await user.hold(console);

        const app = freshName();
        expect(await user.publishApp(await appPackage({ name: app }))).toMatchObject({ status: 201 });
        const install = await user.ask("POST", `/devices/${deviceId}/apps/${app}/install`);
        expect(await user.ended(deviceId, install.body.command_id)).toMatchObject({ state: "done" });
        expect(await getJson(`${console.http}/api/apps/list`)).toMatchObject([{ name: app }]);

        await publishFirmware(user, "0.2.0");
        const { body } = await user.ask("POST", `/devices/${deviceId}/firmware`);
        const told = (state: string) =>
          user.command(deviceId, body.command_id, ({ progress }) => progress === state);
        await told("available");
        const download_url = `${setup.written(proxy)}/api/v1/firmware/0.2.0/download?arch=native`;
        expect(await console.ota()).toMatchObject({ available: { version: "0.2.0", download_url } });
        await overUsb(console, (usb) => usb.request("POST", "/api/cmd", { c: "ota apply" }));
        await told("staged");
        expect(await console.ota()).toMatchObject({ state: "staged", staged_version: "0.2.0" });
      });
    });
