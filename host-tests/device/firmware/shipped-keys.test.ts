/** Firmware with many keys, in a board's heap. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OVER_HTTP, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { heapVariants } from "../../hosts/simulator.js";

let state = "";
beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const publisher = new Publisher();
const keys = Array.from({ length: 1000 }, () => new Publisher().pem).join("");
/** Begins with a line of 9 KB, and ends without a line feed. */
const trustedKeys = `# ${"Schlüssel 🔑 ".repeat(500)}\n${keys}`.trimEnd();

for (const variant of heapVariants)
  test(`1,000 keys in firmware are stored byte for byte when it is confirmed (${variant})`, async () => {
    const console = await startFirmwareConsole({ state, variant, publisher });
    const client = await OVER_HTTP.open(console);
    const bundle = await firmwareBundle({ version: "0.2.0", trustedKeys }, publisher);
    expect(await client.upload(bundle, { reboot: "true" })).toMatchObject({ status: 200 });
    await console.started("update", 0);
    expect(await client.ask("POST", "/api/ota/confirm")).toMatchObject({ status: 200 });
    const file = readFileSync(path.join(state, "lfs/hub/trusted_keys.pem"));
    expect(file.equals(Buffer.from(trustedKeys))).toBe(true);
    expect((await console.system()).reset_reason).toBe("update");
    await client.close();
    await console.stop();
  }, 60_000);
