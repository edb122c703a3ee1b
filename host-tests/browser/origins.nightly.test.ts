/**
 * The web console served by other origins than the console: a hub, a third party's server, the Internet over HTTPS. It
 * uses what works. Where the console or the browser forbids an action, it explains what to do.
 */
import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { afterAll, afterEach, beforeAll, describe, onTestFinished, test } from "vitest";
import { CertificateMaker } from "../hosts/certificates.js";
import { type FirmwareConsole, startFirmwareConsole } from "../hosts/firmware-console.js";
import { firmwareBundle } from "../hosts/firmware-files.js";
import { getJson } from "../hosts/http-client.js";
import { isMissing } from "../hosts/peers.js";
import { startConsole } from "../hosts/simulator.js";
import { temporaryDirectory } from "../hosts/simulator-program.js";
import { UsbClient } from "../hosts/usb-client.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hub/hosts/hub-under-test.js";
import { chosen, greeter, signedFiles } from "./hosts/app-files.js";
import { Chromium, missesChromium } from "./hosts/chromium.js";
import { ConsolePage, type ConsolePageOptions, LOST_CONNECTIONS, REFUSALS } from "./hosts/console-page.js";
import { PageServer } from "./hosts/page-server.js";

/** Chromium's messages about requests that CORS or Local Network Access blocks. */
const BLOCKED = /has been blocked by CORS policy|net::ERR_FAILED|Mixed Content/;
const EVERYTHING = [BLOCKED, REFUSALS, LOST_CONNECTIONS];

async function startListing(
  origins: readonly string[],
  flags: readonly string[] = [],
): Promise<FirmwareConsole> {
  return startFirmwareConsole({
    flags: ["--config", `CONFIG_SVC_HTTP_ALLOWED_ORIGINS=${origins.join(",")}`, ...flags],
  });
}

describe.skipIf(missesChromium)("The web console of another server", () => {
  let host: PageServer;
  let chromium: Chromium;
  let listing: FirmwareConsole;
  beforeAll(async () => {
    host = await PageServer.ofConsole();
    listing = await startListing([host.origin]);
    chromium = await Chromium.launch();
  });
  afterEach(({ task }) => chromium.closePages(task));
  afterAll(async () => {
    await chromium?.close();
    await listing?.stop();
    await host?.close();
  });

  async function open(options: ConsolePageOptions = {}): Promise<ConsolePage> {
    return ConsolePage.open(chromium, host.origin, { tolerates: EVERYTHING, ...options });
  }

  test("connects by address to a console that lists its origin", async () => {
    const page = await open();
    await page.connectTo(listing.http);
    await page.isConnected(/^Connected/);
    await (await page.go("Logs")).getByText(/is ready: HTTP/).waitFor();
    await page.close();
  });

  test("accepts an address without its scheme", async () => {
    const page = await open();
    await page.connectTo(new URL(listing.http).host);
    await page.isConnected(/^Connected/);
    await page.close();
  });

  test("names the build option for a console that does not list its origin", async () => {
    const strict = await startConsole();
    onTestFinished(async () => void (await strict.stop()));
    const page = await open();
    await page.connectTo(strict.http);
    await page.says(/CONFIG_SVC_HTTP_ALLOWED_ORIGINS/);
    await page.says(host.origin);
    await page.close();
  });

  test("shows that nothing answers", async () => {
    const gone = await startListing([host.origin]);
    await gone.stop();
    const page = await open();
    await page.connectTo(gone.http);
    await page.says(/Nothing answers|cannot be reached|does not answer/);
    await page.close();
  });

  test("shows that another service answers", async () => {
    const page = await open();
    await page.connectTo(host.origin);
    await page.says(/not a console/);
    await page.close();
  });

  test("asks for the token of a console that requires one, and keeps it over a reload", async () => {
    const guarded = await startListing([host.origin], ["--config", "CONFIG_SVC_HTTP_AUTH=on"]);
    onTestFinished(async () => void (await guarded.stop()));
    const usb = await UsbClient.open(guarded.usb);
    const { token } = (await usb.request("GET", "/api/auth/token")).body;
    await usb.close();
    const page = await open();
    await page.connectTo(guarded.http);
    await page.says(/requires its token/);
    await page.connectTo(guarded.http, token);
    await page.isConnected(/^Connected/);
    await page.page.reload();
    await page.go("Connect");
    await page.button(/^Connect to Console-/).click();
    await page.isConnected(/^Connected/);
    await page.close();
  });
});

describe.skipIf(missesChromium)("The web console of a hub", () => {
  let hub: HubUnderTest;
  let chromium: Chromium;
  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start();
    chromium = await Chromium.launch();
  });
  afterEach(({ task }) => chromium.closePages(task));
  afterAll(async () => {
    await chromium?.close();
    await hub?.stop();
  });

  test("connects by address to a console that lists the hub", async () => {
    const { origin } = hub;
    const listing = await startListing([origin]);
    onTestFinished(async () => void (await listing.stop()));
    const page = await ConsolePage.open(chromium, origin, { tolerates: [REFUSALS] });
    await page.connectTo(listing.http);
    await page.isConnected(/^Connected/);
    await page.close();
  });
});

/** An address of this machine in a network, if it has one. */
function networkAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flat();
  return all.find((found) => found && !found.internal && found.family === "IPv4")?.address;
}

const PLACES = [
  { where: "on the same machine", address: "127.0.0.1" },
  { where: "in the local network", address: networkAddress() },
];

describe.skipIf(missesChromium || isMissing("openssl"))(
  "The web console from the Internet, over HTTPS",
  () => {
    let directory: ReturnType<typeof temporaryDirectory>;
    let host: PageServer;
    let chromium: Chromium;
    const consoles = new Map<string, FirmwareConsole>();
    beforeAll(async () => {
      directory = temporaryDirectory();
      const certificate = new CertificateMaker(directory.path).make({ commonName: "web console" });
      host = await PageServer.ofConsole({ certificate });
      for (const { where, address } of PLACES)
        if (address) consoles.set(where, await startListing([host.origin], ["--address", address]));
      const inNetwork = consoles.get("in the local network");
      chromium = await Chromium.launch({
        publicServers: [new URL(host.origin).host],
        localServers: inNetwork ? [new URL(inNetwork.http).host] : [],
      });
    });
    afterEach(({ task }) => chromium.closePages(task));
    afterAll(async () => {
      await chromium?.close();
      for (const listing of consoles.values()) await listing.stop();
      await host?.close();
      directory?.remove();
    });

    async function open(isAllowed: boolean): Promise<ConsolePage> {
      return ConsolePage.open(chromium, host.origin, {
        ignoresCertificates: true,
        tolerates: EVERYTHING,
        prepare: async (context) => {
          if (isAllowed) await context.grantPermissions(["local-network-access"]);
        },
      });
    }

    async function openConnected(where: string) {
      const listing = consoles.get(where) as FirmwareConsole;
      const page = await open(true);
      await page.connectTo(listing.http);
      await page.isConnected(/^Connected/);
      return { page, listing };
    }

    for (const { where, address } of PLACES) {
      test.skipIf(!address)(`connects to a console ${where} with the browser's permission`, async () => {
        const page = await open(true);
        await page.connectTo(`${consoles.get(where)?.http}`);
        await page.isConnected(/^Connected/);
        await (await page.go("Logs")).getByText(/is ready: HTTP/).waitFor();
        await page.close();
      });

      test.skipIf(!address)(`installs a signed package on a console ${where}`, async () => {
        const { page, listing } = await openConnected(where);
        await page.go("Apps");
        await page.choose("Install app…", signedFiles("greeter", await greeter("hello"), listing.publisher));
        await page.page.getByRole("dialog").getByRole("button", { name: "Install", exact: true }).click();
        await page.button("Start greeter").waitFor();
        const [installed] = await getJson(`${listing.http}/api/apps/list`);
        assert.equal(installed.name, "greeter");
        await page.close();
      });

      test.skipIf(!address)(
        `uploads firmware to a console ${where}`,
        async () => {
          const { page, listing } = await openConnected(where);
          const bundle = await firmwareBundle({ version: "9.9.9" }, listing.publisher);
          await page.go("Firmware");
          await page.choose("Upload firmware…", [chosen("svc-9.9.9.svcfw", bundle)]);
          await page.button("Upload").click();
          await page.button("Restart into it").waitFor({ timeout: 60_000 });
          const { state, staged_version } = await listing.ota();
          assert.deepEqual({ state, staged_version }, { state: "staged", staged_version: "9.9.9" });
          await page.close();
        },
        120_000,
      );

      test.skipIf(!address)(`names the missing permission for a console ${where}`, async () => {
        const page = await open(false);
        await page.connectTo(`${consoles.get(where)?.http}`);
        await (await page.panel("Connect"))
          .getByRole("alert")
          .getByText(/your local network/)
          .first()
          .waitFor();
        await page.close();
      });
    }
  },
);
