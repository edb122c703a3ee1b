/** Firmware that the hub orders: announced, applied, tried, confirmed or rolled back, and each step told to the hub. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FirmwareProgress, FirmwareUpdate } from "../../../protocol/hub/push-messages.js";
import { type FirmwareConsole, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { askHttp, askShell } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { SmallHub } from "../../hosts/small-hub.js";
import { overUsb } from "../../hosts/usb-client.js";

const publisher = new Publisher();

let hub: SmallHub;
let console: FirmwareConsole;
let order: FirmwareUpdate;
let byteLength: number;
beforeEach(async () => {
  hub = await SmallHub.start();
  const bytes = await firmwareBundle({ version: "0.2.0" }, publisher);
  byteLength = bytes.length;
  order = {
    type: "firmware.update",
    command_id: "1",
    version: "0.2.0",
    download_url: hub.serve("/api/v1/firmware/0.2.0/download", { bytes }),
    signature: Buffer.from(bytes.subarray(6, 70)).toString("hex"),
  };
});
afterEach(async () => {
  await console.stop();
  await hub.close();
});

async function start(...flags: string[]): Promise<void> {
  console = await startFirmwareConsole({ publisher, flags: ["--hub", hub.url, ...flags] });
  await hub.receive("device.status");
}

/** The hub repeats its order, as it does on every connection until it is told the end of it. */
async function told(state: FirmwareProgress, from = 0) {
  return hub.receive("firmware.update.result", (result) => result.state === state, from);
}

const shell = (line: string) => askShell(console.http, line);

/** Over the cable, whose holder answers for the user. */
const apply = () =>
  overUsb(console, async (usb) => (await usb.request("POST", "/api/cmd", { c: "ota apply" })).body.output);

async function restartedFor(reason: string, act: () => Promise<unknown>): Promise<void> {
  const [line, message] = [console.stderr.length, hub.received.length];
  await act();
  await console.started(reason, line);
  await hub.receive("device.status", () => true, message);
  hub.send(order);
}

test("Firmware pushed by the hub is downloaded on request, tried, and confirmed", async () => {
  await start();
  hub.send(order);
  expect(await told("available")).toMatchObject({ command_id: "1", version: "0.2.0", success: null });
  const { version, download_url } = order;
  expect(await console.ota()).toMatchObject({ state: "idle", available: { version, download_url } });
  expect(await shell("ota status")).toContain(`available: ${version}, ${download_url}\n`);
  expect(await apply()).toContain("Fetching firmware 0.2.0.");
  await told("staged");
  expect(await console.ota()).toMatchObject({ state: "staged", staged_version: "0.2.0" });
  await restartedFor("update", async () =>
    expect(await shell("ota apply")).toBe("Restarting into firmware 0.2.0.\n"),
  );
  await told("pending_confirm");
  expect(await hub.receive("device.status", (status) => status.firmware_version === "0.2.0")).toBeDefined();
  expect(await shell("ota confirm")).toBe("Firmware 0.2.0 is confirmed.\n");
  expect(await told("confirmed")).toMatchObject({ success: true, error: null });
  expect(hub.downloads).toHaveLength(1);
});

test("Firmware pushed by the hub is staged at once with CONFIG_SVC_HUB_AUTO_UPDATE, and a rollback is reported", async () => {
  await start("--config", "CONFIG_SVC_HUB_AUTO_UPDATE=on");
  hub.cutAfterBytes = Math.ceil(byteLength / 8);
  hub.send(order);
  await told("staged");
  const reboot = () => askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await restartedFor("update", reboot);
  await told("pending_confirm");
  await restartedFor("rollback", reboot);
  expect(await told("rolled_back")).toMatchObject({ success: false, error: "reboot" });
});

test("Firmware with a wrong pushed signature is rejected", async () => {
  await start("--config", "CONFIG_SVC_HUB_AUTO_UPDATE=on");
  hub.send({ ...order, signature: "00".repeat(64) });
  expect(await told("rejected")).toMatchObject({ success: false, error: "signature_invalid" });
  expect(await console.ota()).toMatchObject({ state: "idle", last_result: { error: "signature_invalid" } });
});
