/**
 * The JSONTestSuite over USB: each line gets one error, and the console keeps running (docs/spec/usb.md#bad-line).
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMissing } from "../../hosts/peers.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";

const folder = join(import.meta.dirname, "../../../../shared/testdata/JSONTestSuite/test_parsing");
const names = isMissing("testdata") ? [] : readdirSync(folder);

let simulated: Console;
let usb: UsbClient;
beforeAll(async () => {
  simulated = await startConsole();
  usb = await UsbClient.open(simulated.usb);
});
afterAll(async () => {
  await usb.close();
  await simulated.stop();
});

/** A line that is empty without its CRs is ignored; every other line gets one answer. */
const linesOf = (bytes: Buffer) =>
  bytes
    .toString("latin1")
    .split("\n")
    .filter((line) => line.replaceAll("\r", "") !== "");

describe.skipIf(names.length === 0)("JSONTestSuite over USB (skipped without testdata)", () => {
  for (const name of names)
    test(`every line of ${name} is rejected with 400 or 413`, async () => {
      const bytes = readFileSync(join(folder, name));
      usb.send(bytes);
      usb.send("\n");
      expect((await usb.request("GET", "/api/uptime")).status).toBe(404);
      const statuses = usb.answers.splice(0).map(({ status }) => status);
      expect(statuses).toHaveLength(linesOf(bytes).length);
      for (const status of statuses) expect([400, 413]).toContain(status);
    });
});
