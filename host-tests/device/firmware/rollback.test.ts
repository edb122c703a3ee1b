/**
 * Each way in which an update can fail brings the old firmware back, which says why and takes the next one
 * (docs/spec/boot-and-slots.md#trial-ends).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type FirmwareClient,
  type FirmwareConsole,
  OVER_HTTP,
  OVER_USB,
  startFirmwareConsole,
} from "../../hosts/firmware-console.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { kindsInTier } from "../../tier.js";

const publisher = new Publisher();

let state = "";
beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

interface Failure {
  readonly name: string;
  readonly fault?: "crash" | "hang" | "silent";
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Ends the trial from outside. */
  readonly act?: (console: FirmwareConsole, client: FirmwareClient) => Promise<unknown>;
  readonly error: string;
  readonly message: string;
  /** Log lines in this order, between the restart and the rollback. */
  readonly trace?: readonly string[];
}

const SHORT_TRIAL = ["--config", "CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S=2"];

const FAILURES: readonly Failure[] = [
  {
    name: "crashes on startup",
    fault: "crash",
    error: "crash",
    message: "Firmware 0.2.0 crashed before it was confirmed",
  },
  {
    name: "hangs on startup",
    fault: "hang",
    environment: { SVC_SIM_WATCHDOG_MS: "1200" },
    error: "watchdog",
    message: "Firmware 0.2.0 hung before it was confirmed",
  },
  {
    name: "never opens a connection",
    fault: "silent",
    flags: SHORT_TRIAL,
    error: "timeout",
    message: "Firmware 0.2.0 was not confirmed in time",
  },
  {
    name: "is not confirmed",
    flags: SHORT_TRIAL,
    error: "timeout",
    message: "Firmware 0.2.0 was not confirmed in time",
    trace: [
      "reset reason is update",
      "firmware 0.2.0 is on trial",
      "firmware 0.2.0 was not confirmed in time",
    ],
  },
  {
    name: "is restarted before its confirmation",
    act: async (console, client) => {
      await console.started("update", 0);
      await client.ask("POST", "/api/reboot");
    },
    error: "reboot",
    message: "Firmware 0.2.0 was restarted before it was confirmed",
    trace: ["reset reason is update", "firmware 0.2.0 is on trial", "rebooting on request"],
  },
];

for (const { name, fault, flags = [], environment = {}, act, error, message, trace = [] } of FAILURES)
  for (const { over, open } of kindsInTier([OVER_HTTP, OVER_USB]))
    test(`Firmware uploaded over ${over} that ${name} is rolled back, and the next update succeeds`, async () => {
      const console = await startFirmwareConsole({ state, publisher, flags, environment });
      const client = await open(console);
      const bad = await firmwareBundle({ version: "0.2.0", fault }, publisher);
      expect(await client.upload(bad, { reboot: "true" })).toMatchObject({ status: 200 });
      await act?.(console, client);
      await console.started("rollback", 0);

      const rolledBack = {
        state: "idle",
        received_bytes: 0,
        total_bytes: 0,
        progress_percent: 0,
        running_version: "0.1.0",
        running_slot: "a",
        last_result: { result: "rolled_back", error, message, version: "0.2.0" },
      };
      expect((await client.ask("GET", "/api/ota/status")).body).toEqual(rolledBack);
      expect((await client.ask("GET", "/api/status")).body.fw_version).toBe("0.1.0");
      expect((await client.ask("GET", "/api/system")).body).toMatchObject({
        firmware: { version: "0.1.0", slot: "a", state: "confirmed" },
        reset_reason: "rollback",
      });
      expectInOrder(await console.log(), [
        "receiving firmware",
        "received 100 % of the firmware",
        "staged firmware 0.2.0: the next restart starts it on trial",
        "rebooting on request",
        ...trace,
        "previous run ended here",
        "firmware 0.1.0 (Kestrel), reset reason is rollback",
        `the update failed: ${message}`,
      ]);
      await client.close();
      await console.stop();

      await expectUpdate(rolledBack);
    });

/** Starts the console without a short trial, and expects that an update succeeds. */
async function expectUpdate(before: object): Promise<void> {
  const console = await startFirmwareConsole({ state });
  expect(await console.ota()).toEqual(before);
  const client = await OVER_HTTP.open(console);
  const good = await firmwareBundle({ version: "0.3.0" }, publisher);
  expect(await client.upload(good, { reboot: "true" })).toMatchObject({ status: 200 });
  await console.started("update", 0);
  expect(await client.ask("POST", "/api/ota/confirm")).toMatchObject({
    status: 200,
    body: {
      running_version: "0.3.0",
      running_slot: "b",
      last_result: { result: "confirmed", version: "0.3.0" },
    },
  });
  await client.close();
  await console.stop();
}

/** Expects the parts in this order. */
function expectInOrder(text: string, parts: readonly string[]): void {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    expect(found, `"${part}" after\n${text.slice(0, at)}\nin\n${text.slice(at)}`).toBeGreaterThanOrEqual(0);
    at = found + part.length;
  }
}
