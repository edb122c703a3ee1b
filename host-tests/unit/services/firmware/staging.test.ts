/**
 * Firmware that is taken: over both transports, in one request or in chunks, and again
 * (docs/spec/boot-and-slots.md#ota-upload).
 */
import { describe, expect, test } from "vitest";
import { bundled, flashedStorage, imageOf, Run } from "./emulated-update.js";

const run = (options?: ConstructorParameters<typeof Run>[1]) => new Run(flashedStorage(), options);
const otherSlot = ({ storage: { bootLoader } }: Run) => Buffer.from(bootLoader.content(bootLoader.other));

describe("A bundle is staged", () => {
  const bundle = bundled({ programBytes: 5000 });

  test("of an older version if the build allows that", async () => {
    const console = run({ config: { CONFIG_SVC_OTA_ALLOW_DOWNGRADE: "on" } });
    expect(await console.upload(bundled({ version: "0.0.9" }))).toMatchObject({ status: 200 });
  });

  test("in place of the previously staged one", async () => {
    const console = run();
    await console.upload(bundle);
    expect(await console.upload(bundled({ version: "0.3.0" }))).toMatchObject({ status: 200 });
    expect(otherSlot(console)).toEqual(Buffer.from(imageOf({ version: "0.3.0" })));
    expect(console.storage.slots.record()).toEqual({ phase: "staged", trials: 2 });
    expect(console.reboot().ota.status()).toMatchObject({ running_version: "0.3.0" });
  });
});

test("POST /upload rejects a body that arrives after a restart was requested", async () => {
  const console = run();
  const bundle = bundled();
  const late = console.deliver({ path: "/upload", transport: "http", body: bundle.subarray(0, 3) });
  await console.send({ path: "/upload", transport: "http", body: bundle });
  expect(() => late.write(bundle.subarray(3))).toThrow("about to restart");
  expect(console.reboot().ota.status()).toMatchObject({ running_version: "0.2.0" });
});
