/** Firmware in the shell (docs/spec/shell.md#ota-apply). */
import { expect, test } from "vitest";
import type { ShellContext } from "../../../../device/services/shell/command.js";
import { Shell } from "../../../../device/services/shell/shell.js";
import { bundled, flashedStorage, Run } from "../firmware/emulated-update.js";
import { HUB, HubRun } from "../hub/emulated-hub.js";
import { printed } from "./printed.js";

const shellOf = ({ ota, restart }: Run) => new Shell({ ota, restart } as unknown as ShellContext);
const shellWithHub = ({ hub, ota, restart }: HubRun) =>
  new Shell({ hub, ota, restart } as unknown as ShellContext);

test("ota status shows the fields of GET /api/ota/status, a line each, and the last result", async () => {
  const run = new Run(flashedStorage());
  const idle = ["state: idle", "received_bytes: 0", "total_bytes: 0", "progress_percent: 0"];
  const running = ["running_version: 0.1.0", "running_slot: a"];
  expect(printed(shellOf(run), "ota status")).toBe([...idle, ...running, ""].join("\n"));
  await run.upload(bundled());
  const back = run.reboot().reboot("crash");
  const last = "last_result: rolled_back, 0.2.0, crash, Firmware 0.2.0 crashed before it was confirmed";
  expect(printed(shellOf(back), "ota status")).toBe([...idle, ...running, last, ""].join("\n"));
});

test("ota apply restarts into staged firmware, and fails without it", async () => {
  const run = new HubRun(flashedStorage());
  expect(printed(shellWithHub(run), "ota apply")).toBe("No firmware is waiting to be applied.\n");
  expect(run.restart.isRequested).toBe(false);
  await run.upload(bundled());
  expect(printed(shellOf(run), "ota apply")).toBe("Restarting into firmware 0.2.0.\n");
  expect(run.restart.isRequested).toBe(true);
});

test("ota apply downloads what the hub has announced, and restarts into it the second time", async () => {
  const run = new HubRun(flashedStorage()).connect();
  const [bytes, url] = [bundled(), `${HUB}/bundle`];
  const signature = Buffer.from(bytes.subarray(6, 70)).toString("hex");
  run.at.files.set(url, { bytes });
  await run.say({ type: "firmware.update", command_id: "1", version: "0.2.0", download_url: url, signature });
  expect(printed(shellWithHub(run), "ota status")).toContain(`available: 0.2.0, ${url}\n`);
  expect(printed(shellWithHub(run), "ota apply")).toBe(
    'Fetching firmware 0.2.0. Once it is staged, "ota apply" restarts into it.\n',
  );
  await run.settle();
  expect(run.restart.isRequested).toBe(false);
  expect(printed(shellWithHub(run), "ota apply")).toBe("Restarting into firmware 0.2.0.\n");
});

test("ota confirm confirms firmware on trial, and fails without it", async () => {
  const run = new Run(flashedStorage());
  expect(printed(shellOf(run), "ota confirm")).toBe("There is no firmware to confirm\n");
  await run.upload(bundled());
  const trial = run.reboot();
  expect(printed(shellOf(trial), "ota confirm")).toBe("Firmware 0.2.0 is confirmed.\n");
  expect(trial.ota.status()).toMatchObject({ state: "idle", last_result: { result: "confirmed" } });
});
