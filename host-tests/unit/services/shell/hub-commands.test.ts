/** The hub in the shell (docs/spec/shell.md#claim-code). */
import { expect, test } from "vitest";
import type { ShellContext } from "../../../../device/services/shell/command.js";
import { runLine } from "../../../../device/services/shell/shell.js";
import { Fault } from "../../../../protocol/fault.js";
import { flashedStorage } from "../firmware/emulated-update.js";
import { HUB, HubRun } from "../hub/emulated-hub.js";
import { printed } from "./printed.js";

const start = () => new HubRun(flashedStorage());
const REGISTRATION = { deviceId: "device-1", claimCode: "ABCD-EFGH" };

test("hub set --same-hub keeps token and registration of a hub that has moved", () => {
  const run = start();
  expect(printed(run, `hub set ${HUB} --same-hub`, "usb")).toContain("The console has no hub");
  run.connect().link.options.onRegistered(REGISTRATION);
  const { deviceToken } = run.link.options.identity();
  printed(run, "hub set https://hub.example --same-hub", "usb");
  expect(run.link.options.identity()).toMatchObject({ deviceToken });
  expect(run.hub.status({ withClaimCode: false })).toMatchObject({ device_id: "device-1" });
});

test("hub register with the bearer token shows no claim code, which is shown over the cable alone", async () => {
  const run = start().connect();
  const output = runLine(run as unknown as ShellContext, "hub register", {
    transport: "http",
    isOwner: true,
    method: "POST",
  });
  run.link.options.onRegistered(REGISTRATION);
  expect(await output).toEqual({ output: "Registered as device-1.\n" });
});

test("hub register prints the result and the claim code", async () => {
  const run = start();
  expect(await printed(run, "hub register")).toBe("The console has no hub\n");
  run.connect();
  for (const registration of [REGISTRATION, {}]) {
    const output = printed(run, "hub register", "usb");
    run.link.options.onRegistered(registration);
    const isNamed = registration === REGISTRATION;
    expect(await output).toBe(isNamed ? "Registered as device-1.\nclaim_code: ABCD-EFGH\n" : "Registered.\n");
  }
  const output = printed(run, "hub register", "usb");
  run.link.options.onRetry(new Fault("hub_unreachable", "The hub does not answer"), 1000);
  expect(await output).toBe("The hub does not answer\n");
});
