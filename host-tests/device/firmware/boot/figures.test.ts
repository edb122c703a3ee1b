/** Durations of the slot checks at startup: the checksum of the image, and its signature. */
import { expect, test } from "vitest";
import { OVER_HTTP, startFirmwareConsole } from "../../../hosts/firmware-console.js";
import { firmwareBundle } from "../../../hosts/firmware-files.js";
import { heapVariants } from "../../../hosts/simulator.js";

/** Reports the minimum of some starts, since other tests run at the same time. */
const STARTS = 3;

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
