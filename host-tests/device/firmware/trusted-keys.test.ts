/** A console with many trusted keys accepts firmware, in a board's heap. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type FirmwareConsole, OVER_HTTP, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { bundleOf, firmwareImage } from "../../hosts/firmware-files.js";
import { askHeap } from "../../hosts/heap-report.js";
import { getJson } from "../../hosts/http-client.js";
import { isMissing } from "../../hosts/peers.js";
import { Publisher } from "../../hosts/publisher.js";
import { isSanitized } from "../../hosts/simulator.js";

const publisher = new Publisher();
const foreign = (count: number) => Array.from({ length: count }, () => new Publisher().pem).join("");

async function upload(console: FirmwareConsole, trustedKeys: string) {
  writeFileSync(path.join(console.state, "lfs/hub/trusted_keys.pem"), trustedKeys);
  const client = await OVER_HTTP.open(console);
  return client.upload(bundleOf(await firmwareImage({ version: "0.2.0" }), publisher));
}

const describeOnce = isSanitized ? () => {} : describe.skipIf(isMissing("multilib"));

describeOnce("A 32-bit console", () => {
  const environment = { SVC_SIM_COLLECT_EVERY: "100" };
  /** Garbage between two collections, while the file of keys stays open; a digest for each key would be 17 KiB. */
  const TOLERANCE_BYTES = 4096;

  /** Peak heap for an upload of firmware signed by the last of `count` keys. */
  async function neededFor(count: number): Promise<number> {
    const console = await startFirmwareConsole({ publisher, variant: "m32", environment });
    try {
      expect(await upload(console, foreign(count - 1) + publisher.pem)).toMatchObject({ status: 200 });
      return (await askHeap(console)).peak_needed_bytes;
    } finally {
      await console.stop();
    }
  }

  test("needs as much memory for firmware signed by the last of 250 keys as by the last of 50", {
    timeout: 300_000,
  }, async () => {
    const [few, many] = [await neededFor(50), await neededFor(250)];
    expect(few).toBeGreaterThan(0);
    expect(many - few).toBeLessThanOrEqual(TOLERANCE_BYTES);
  });
});

test("A console answers other requests while it checks firmware against 200 foreign keys, and then accepts firmware", {
  timeout: 120_000,
}, async () => {
  const console = await startFirmwareConsole({ publisher });
  try {
    let isDone = false;
    const refused = upload(console, foreign(200)).finally(() => {
      isDone = true;
    });
    let answers = 0;
    for (; !isDone; answers++) await getJson(`${console.http}/api/status`);
    expect(await refused).toMatchObject({ status: 403, body: { error: "signature_invalid" } });
    expect(answers).toBeGreaterThan(20);
    expect(await upload(console, publisher.pem)).toMatchObject({ status: 200 });
  } finally {
    await console.stop();
  }
});
