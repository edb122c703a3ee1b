/** The hub in the shell (docs/spec/shell.md#claim-code). */
import { expect, test } from "vitest";
import type { ShellContext } from "../../../../device/services/shell/command.js";
import { Shell } from "../../../../device/services/shell/shell.js";
import { Fault } from "../../../../protocol/fault.js";
import { flashedStorage } from "../firmware/emulated-update.js";
import { HUB, HubRun } from "../hub/emulated-hub.js";
import { printed } from "./printed.js";

const start = () => new HubRun(flashedStorage());
const shellOf = ({ hub }: HubRun) => new Shell({ hub } as unknown as ShellContext);
const REGISTRATION = { deviceId: "device-1", claimCode: "ABCD-EFGH" };

test("hub status shows the fields of GET /api/hub, the claim code over USB alone", () => {
  const run = start();
  expect(printed(shellOf(run), "hub status")).toBe("The console has no hub.\n");
  run.connect().link.options.onRegistered(REGISTRATION);
  const shared = `url: ${HUB}\nconnected: true\ndevice_id: device-1\n`;
  expect(printed(shellOf(run), "hub status")).toBe(shared);
  expect(printed(shellOf(run), "hub status", "http")).toBe(shared);
  expect(printed(shellOf(run), "hub status", "usb")).toBe(`${shared}claim_code: ABCD-EFGH\n`);
});

test("hub set connects to another hub, or to none, and rejects an invalid address", () => {
  const run = start();
  expect(printed(shellOf(run), `hub set ${HUB}`, "usb")).toBe(`The hub is ${HUB}.\n`);
  expect(run.hub.status({ withClaimCode: false }).url).toBe(HUB);
  expect(printed(shellOf(run), "hub set nowhere", "usb")).toContain('"nowhere" is not the address of a hub');
  expect(printed(shellOf(run), 'hub set ""', "usb")).toBe("The console has no hub.\n");
  expect(run.hub.status({ withClaimCode: false }).url).toBe("");
  expect(printed(shellOf(run), "hub set", "usb")).toBe("Usage: hub set URL [--same-hub]\n");
  expect(printed(shellOf(run), `hub set ${HUB} --other-hub`, "usb")).toContain(
    '"--other-hub" is not an option',
  );
});

test("hub set over the network sets a hub if there is none, and changes none", async () => {
  const run = start();
  expect(printed(shellOf(run), `hub set ${HUB}`)).toBe(`The hub is ${HUB}.\n`);
  expect(printed(shellOf(run), `hub set ${HUB}`)).toBe(`The hub is ${HUB}.\n`);
  run.link.open();
  for (const line of ["hub set http://192.0.2.66", 'hub set ""', `hub set ${HUB} --same-hub`, "hub register"])
    expect(await printed(shellOf(run), line)).toContain("use the cable or send the console's bearer token");
  expect(run.hub.status({ withClaimCode: false }).url).toBe(HUB);
});

test("hub set --same-hub keeps token and registration of a hub that has moved", () => {
  const run = start();
  expect(printed(shellOf(run), `hub set ${HUB} --same-hub`, "usb")).toContain("The console has no hub");
  run.connect().link.options.onRegistered(REGISTRATION);
  const { deviceToken } = run.link.options.identity();
  printed(shellOf(run), "hub set https://hub.example --same-hub", "usb");
  expect(run.link.options.identity()).toMatchObject({ deviceToken });
  expect(run.hub.status({ withClaimCode: false })).toMatchObject({ device_id: "device-1" });
});

test("hub register with the bearer token shows no claim code, which is shown over the cable alone", async () => {
  const run = start().connect();
  const output = shellOf(run).run("hub register", { transport: "http", isOwner: true, method: "POST" });
  run.link.options.onRegistered(REGISTRATION);
  expect(await output).toEqual({ output: "Registered as device-1.\n" });
});

test("hub register prints the result and the claim code", async () => {
  const run = start();
  expect(await printed(shellOf(run), "hub register")).toBe("The console has no hub\n");
  run.connect();
  for (const registration of [REGISTRATION, {}]) {
    const output = printed(shellOf(run), "hub register", "usb");
    run.link.options.onRegistered(registration);
    const isNamed = registration === REGISTRATION;
    expect(await output).toBe(isNamed ? "Registered as device-1.\nclaim_code: ABCD-EFGH\n" : "Registered.\n");
  }
  const output = printed(shellOf(run), "hub register", "usb");
  run.link.options.onRetry(new Fault("hub_unreachable", "The hub does not answer"), 1000);
  expect(await output).toBe("The hub does not answer\n");
});
