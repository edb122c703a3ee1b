/** Durations of a start: until the first picture, and of the slot checks: checksum of the image, and its signature. */
import { expect, test } from "vitest";
import { OVER_HTTP, startFirmwareConsole } from "../../../hosts/firmware-console.js";
import { firmwareBundle } from "../../../hosts/firmware-files.js";
import { heapVariants, startConsole } from "../../../hosts/simulator.js";

/** Reports the minimum of some starts, since other tests run at the same time. */
const STARTS = 3;

const FIGURES_OF_ANY_SLOT = /^console: slot [ab]: checksum in/;
const FIGURES = /^console: slot b: checksum in ([0-9.]+) ms, signature in ([0-9.]+) ms$/;

test.each(heapVariants)(
  "each start reports how long the checks of checksum and signature took, on a console built for %s",
  async (variant) => {
    const console = await startFirmwareConsole({ variant, environment: { SVC_SIM_BOOT_FIGURES: "1" } });
    const client = await OVER_HTTP.open(console);
    const from = console.stderr.length;
    await client.upload(await firmwareBundle({ version: "0.2.0" }, console.publisher), { reboot: "true" });
    await console.started("update", from);
    await client.ask("POST", "/api/ota/confirm");
    for (let start = 2; start <= STARTS; start++) {
      const before = console.stderr.length;
      await client.ask("POST", "/api/reboot");
      await console.started("software", before);
    }
    const figures = console.stderr.flatMap((line) => {
      const [, checksum, signature] = line.match(FIGURES) ?? [];
      return checksum === undefined ? [] : [{ checksum: Number(checksum), signature: Number(signature) }];
    });
    const checksumMs = Math.min(...figures.map(({ checksum }) => checksum));
    const signatureMs = Math.min(...figures.map(({ signature }) => signature));
    globalThis.console.log(`${variant}: checksum ${checksumMs} ms, signature ${signatureMs} ms`);
    expect(figures.length).toBeGreaterThanOrEqual(STARTS);
    await client.close();
    await console.stop();
  },
);

// docs/spec/display-and-input.md#boot-picture
test("the first picture is there before a slot is read or flashed", async () => {
  const console = await startConsole({ environment: { SVC_SIM_BOOT_FIGURES: "1" } });
  expect(await console.stop()).toBe(0);
  const [first, second] = console.stderr;
  const [, pictureMs] = first?.match(/^console: first picture after ([0-9.]+) ms$/) ?? [];
  expect(pictureMs, first).toBeDefined();
  expect(second).toMatch(FIGURES_OF_ANY_SLOT);
  globalThis.console.log(`first picture after ${pictureMs} ms`);
});
