/**
 * A console and a hub over TLS (docs/spec/device-hub.md#hub-schemes): all that goes between them, and hubs that are not
 * believed.
 */
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { type Certificate, CertificateMaker } from "../../hosts/certificates.js";
import { getJson } from "../../hosts/http-client.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { withDatabase } from "../../hub/push/database-of.js";
import { HubUser } from "./hub-user.js";

let directory: ReturnType<typeof temporaryDirectory>;
let maker: CertificateMaker;
let authority: Certificate;
let hub: HubUnderTest;

/** A hub that shows this certificate. */
function startSecure(certificate: Certificate): Promise<HubUnderTest> {
  const certificateFile = maker.save(certificate);
  writeFileSync(`${certificateFile}.key`, certificate.key);
  return EMBEDDED_HUB.start({
    environment: { SVC_HUB_TLS_CERT: certificateFile, SVC_HUB_TLS_KEY: `${certificateFile}.key` },
  });
}

/** Where a hub is reached by another name than it says itself. */
function addressOf({ origin }: HubUnderTest, name = "localhost"): string {
  return `https://${name}:${new URL(origin).port}`;
}

async function start(url: string, ca: Certificate, user?: HubUser): Promise<AppConsole> {
  const flags = ["--hub", url, "--hub-ca", maker.save(ca)];
  const console = await startAppConsole({ flags, ...(user && { publisher: user.publisher }) });
  onTestFinished(async () => void (await console.stop()));
  return console;
}

const hubOf = ({ http }: AppConsole) => getJson(`${http}/api/hub`);
const userOf = (of: HubUnderTest) =>
  HubUser.on(of, { origin: () => addressOf(of), options: { ca: authority.cert } });

describe.skipIf(isMissing("openssl"))("A console and its hub over TLS (skipped without openssl)", () => {
  beforeAll(async () => {
    directory = temporaryDirectory();
    maker = new CertificateMaker(directory.path);
    authority = maker.make({ commonName: "Authority", isAuthority: true });
    hub = await startSecure(maker.make({ commonName: "hub", names: ["DNS:localhost"], issuer: authority }));
  });
  afterAll(async () => {
    await hub?.stop();
    directory.remove();
  });

  test("the console is claimed, executes commands, and reconnects after the hub's restart", async () => {
    const user = await userOf(hub);
    const console = await start(addressOf(hub), authority, user);
    const deviceId = await user.hold(console);
    const module = await moduleOf('(module (func (export "main")))');
    expect(await user.publishApp(packageOf(module))).toMatchObject({ status: 201 });
    const install = await user.ask("POST", `/devices/${deviceId}/apps/tetris/install`);
    expect(await user.ended(deviceId, install.body.command_id)).toMatchObject({ state: "done" });
    expect(await console.apps()).toMatchObject([{ name: "tetris", version: "1.0.0" }]);

    const [process] = hub.processes;
    const from = console.stderr.length;
    await process?.stop();
    await process?.restart();
    const uninstall = await user.ask("DELETE", `/devices/${deviceId}/apps/tetris`);
    await console.waitForLine(/connected to https:\/\/localhost:/, from);
    expect(await user.ended(deviceId, uninstall.body.command_id)).toMatchObject({ state: "done" });
    expect(await console.apps()).toEqual([]);
  });

  test("a console connects over TLS to a hub set with https", async () => {
    const plain = await EMBEDDED_HUB.start();
    onTestFinished(() => plain.stop());
    const [before, after] = [await HubUser.on(plain), await userOf(hub)];
    const console = await start(plain.origin, authority, after);
    const plainId = await before.hold(console);
    const usb = await UsbClient.open(console.usb);
    const set = await usb.request("POST", "/api/hub", { url: addressOf(hub) });
    await usb.close();
    expect(set).toMatchObject({ status: 200, body: { url: addressOf(hub), connected: false } });
    const secureId = await after.hold(console);
    await after.device(secureId, ({ online, status }) => online && status !== null);
    expect(await hubOf(console)).toMatchObject({ url: addressOf(hub), connected: true, device_id: secureId });
    await before.device(plainId, ({ online }) => !online);
  });

  describe("The console neither connects to nor registers with a hub", () => {
    /** What a console reports of a failed attempt. Checks that it has sent the hub nothing. */
    async function refusal(of: HubUnderTest, url: string, ca: Certificate): Promise<string> {
      const before = await registered(of);
      const console = await start(url, ca);
      const line = await console.waitForLine(/hub: retrying the hub in \d+ ms: /);
      expect(await hubOf(console)).toEqual({ url, connected: false });
      expect(await registered(of)).toBe(before);
      return line.replace(/^.*? ms: /, "");
    }

    /** How many consoles the hub knows: one that gets through registers first. */
    async function registered(of: HubUnderTest): Promise<number> {
      return withDatabase(of, async (database) => {
        const devices = await database.selectFrom("devices").select("id").execute();
        return devices.length;
      });
    }

    test("with a certificate of an untrusted authority", async () => {
      const stranger = maker.make({ commonName: "Stranger", isAuthority: true });
      expect(await refusal(hub, addressOf(hub), stranger)).toBe(
        'Cannot speak TLS with "localhost": unable to get local issuer certificate',
      );
    });

    test("with a certificate for another name", async () => {
      expect(await refusal(hub, addressOf(hub, "127.0.0.1"), authority)).toBe(
        'Cannot speak TLS with "127.0.0.1": IP address mismatch',
      );
    });

    test("with an expired certificate", async () => {
      const names = ["DNS:localhost"];
      const late = await startSecure(
        maker.make({ commonName: "hub", names, issuer: authority, isExpired: true }),
      );
      onTestFinished(() => late.stop());
      expect(await refusal(late, addressOf(late), authority)).toBe(
        'Cannot speak TLS with "localhost": certificate has expired',
      );
    });

    test("without TLS", async () => {
      const plain = await EMBEDDED_HUB.start();
      onTestFinished(() => plain.stop());
      expect(await refusal(plain, addressOf(plain), authority)).toMatch(
        /^Cannot speak TLS with "localhost": /,
      );
    });
  });
});
