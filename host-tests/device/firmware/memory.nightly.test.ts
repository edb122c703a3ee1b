/**
 * Uploads of any size need the same memory, in XS's heap and in the process (docs/spec/uploads.md#no-heap).
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type FirmwareConsole,
  OVER_HTTP,
  OVER_USB,
  startFirmwareConsole,
} from "../../hosts/firmware-console.js";
import { bundleOf, firmwareImage, padded } from "../../hosts/firmware-files.js";
import { askHeap } from "../../hosts/heap-report.js";
import { isMissing } from "../../hosts/peers.js";
import { Publisher } from "../../hosts/publisher.js";
import { type ConsoleOptions, usualVariant } from "../../hosts/simulator.js";

const MIB = 1024 * 1024;
const publisher = new Publisher();

/** Firmware padded with zeros to that size. */
async function bundleOfMebibytes(count: number): Promise<Uint8Array> {
  return bundleOf(padded(await firmwareImage({ version: "0.2.0" }), count * MIB), publisher);
}

/** Measures an upload of 1 MiB and one of 16 MiB, each on a new console. */
async function forSizes(
  options: ConsoleOptions,
  measure: (console: FirmwareConsole, bundle: Uint8Array) => Promise<number>,
): Promise<[number, number]> {
  const measureOne = async (mebibytes: number) => {
    const console = await startFirmwareConsole({ publisher, ...options });
    try {
      return await measure(console, await bundleOfMebibytes(mebibytes));
    } finally {
      await console.stop();
    }
  };
  return [await measureOne(1), await measureOne(16)];
}

const ROUTES = [OVER_HTTP, OVER_USB];

describe.skipIf(isMissing("multilib"))("In a board's heap", () => {
  const options = { variant: "m32", environment: { SVC_SIM_COLLECT_EVERY: "100" } } as const;
  /** Garbage between two collections; measured: 770. A slot for each piece of the file would be 64 KiB. */
  const TOLERANCE_BYTES = 2048;

  for (const { over, open } of ROUTES)
    test(`an upload of 16 MiB over ${over} needs as much as one of 1 MiB`, async () => {
      const [one, sixteen] = await forSizes(options, async (console, bundle) => {
        const client = await open(console);
        expect(await client.upload(bundle)).toMatchObject({ status: 200 });
        const { peak_needed_bytes } = await askHeap(console);
        await client.close();
        return peak_needed_bytes;
      });
      expect(one).toBeGreaterThan(0);
      expect(Math.abs(sixteen - one)).toBeLessThanOrEqual(TOLERANCE_BYTES);
    }, 180_000);
});

/** The peak resident memory of the process, in bytes (proc(5)). */
function peakResidentBytes(pid: number): number {
  return 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** Skipped under the sanitizer, which keeps freed memory. */
describe.skipIf(usualVariant === "asan")("In the process's memory", () => {
  /** Variation in touched pages; measured: 0.3 MiB. */
  const TOLERANCE_BYTES = MIB;

  for (const { over, open } of ROUTES)
    test(`an upload of 16 MiB over ${over} and its start need as much as one of 1 MiB`, async () => {
      const [one, sixteen] = await forSizes({}, async (console, bundle) => {
        const client = await open(console);
        expect(await client.upload(bundle, { reboot: "true" })).toMatchObject({ status: 200 });
        await console.started("update", 0);
        await client.close();
        return peakResidentBytes(console.pid);
      });
      expect(Math.abs(sixteen - one)).toBeLessThanOrEqual(TOLERANCE_BYTES);
    }, 60_000);
});
