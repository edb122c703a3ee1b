import { expect, test } from "vitest";
import type { ShellContext } from "../../../../device/services/shell/commands.js";
import { Shell } from "../../../../device/services/shell/shell.js";
import { Fault } from "../../../../protocol/fault.js";
import { flashedStorage } from "../firmware/emulated-update.js";
import { HUB, HubRun } from "../hub/emulated-hub.js";

const start = () => new HubRun(flashedStorage());
const shellOf = ({ hub }: HubRun) => new Shell({ hub } as unknown as ShellContext);
const REGISTRATION = { deviceId: "device-1", claimCode: "ABCD-EFGH" };

test("hub status shows the fields of GET /api/hub, the claim code over USB alone", () => {
  const run = start();
  expect(shellOf(run).run("hub status")).toBe("The console has no hub.\n");
  run.connect().link.options.onRegistered(REGISTRATION);
  const shared = `url: ${HUB}\nconnected: true\ndevice_id: device-1\n`;
  expect(shellOf(run).run("hub status")).toBe(shared);
  expect(shellOf(run).run("hub status", "http")).toBe(shared);
  expect(shellOf(run).run("hub status", "usb")).toBe(`${shared}claim_code: ABCD-EFGH\n`);
});

test("hub set goes to another hub, or to none, and refuses what is no address", () => {
  const run = start();
  expect(shellOf(run).run(`hub set ${HUB}`)).toBe(`The hub is ${HUB}.\n`);
  expect(run.hub.status({ withClaimCode: false }).url).toBe(HUB);
  expect(shellOf(run).run("hub set nowhere")).toContain('"nowhere" is not the address of a hub');
  expect(shellOf(run).run('hub set ""')).toBe("The console has no hub.\n");
  expect(run.hub.status({ withClaimCode: false }).url).toBe("");
  expect(shellOf(run).run("hub set")).toBe("Usage: hub set URL\n");
});

test("hub register says how it went, and the claim code over USB alone", async () => {
  const run = start();
  expect(await shellOf(run).run("hub register")).toBe("The console has no hub\n");
  run.connect();
  for (const [transport, code] of [
    ["http", ""],
    ["usb", "claim_code: ABCD-EFGH\n"],
  ] as const) {
    const output = shellOf(run).run("hub register", transport);
    run.link.options.onRegistered(REGISTRATION);
    expect(await output).toBe(`Registered as device-1.\n${code}`);
  }
  const output = shellOf(run).run("hub register");
  run.link.options.onRetry(new Fault("hub_unreachable", "The hub does not answer"), 1000);
  expect(await output).toBe("The hub does not answer\n");
});
