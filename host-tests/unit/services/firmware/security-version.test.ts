/** Firmware with known holes does not come back (docs/spec/keys.md#security-version). */
import { beforeEach, describe, expect, test } from "vitest";
import { readImageHeader } from "../../../../protocol/firmware/image-header.js";
import { espImage } from "../../protocol/firmware/bundling.js";
import { bundled, flashedStorage, imageOf, Run } from "./emulated-update.js";

const allowing = { config: { CONFIG_SVC_OTA_ALLOW_DOWNGRADE: "y" } };
const refused = { status: 409, body: { error: "version_downgrade" } };

let run: Run;
beforeEach(() => {
  run = new Run(flashedStorage(), allowing);
});

/** Has it on trial. */
async function tryOut(version: string, securityVersion: number): Promise<void> {
  expect(await run.upload(bundled({ version, securityVersion }))).toMatchObject({ status: 200 });
  run = run.reboot("software", allowing);
  expect(run.ota.status()).toMatchObject({ state: "pending_confirm", running_version: version });
}

test("The security version is in the image's header, 0 by default", () => {
  expect(readImageHeader(imageOf({ securityVersion: 7 }))).toMatchObject({
    securityVersion: 7,
    architecture: "native",
  });
  expect(readImageHeader(imageOf())).toMatchObject({ securityVersion: 0 });
  const esp = espImage();
  new DataView(esp.buffer, esp.byteOffset).setUint32(36, 9, true);
  expect(readImageHeader(esp)).toMatchObject({ securityVersion: 9 });
});

describe("Firmware of a lower security version than the confirmed one", () => {
  test("is rejected, also where older versions are allowed", async () => {
    await tryOut("0.3.0", 2);
    run.ota.confirm();
    for (const version of ["0.2.0", "0.3.0", "0.4.0"])
      for (const securityVersion of [0, 1])
        expect(await run.upload(bundled({ version, securityVersion }))).toMatchObject(refused);
    expect(await run.upload(bundled({ version: "0.2.0", securityVersion: 2 }))).toMatchObject({
      status: 200,
    });
  });

  test("is rejected after restarts, and after other firmware was flashed by cable", async () => {
    await tryOut("0.3.0", 2);
    run.ota.confirm();
    run = run.reboot("power_on", allowing);
    expect(await run.upload(bundled({ version: "0.4.0", securityVersion: 1 }))).toMatchObject(refused);
    run.storage.bootLoader.flash(imageOf({ version: "0.1.0" }));
    run = run.reboot("power_on", allowing);
    expect(await run.upload(bundled({ version: "0.4.0", securityVersion: 1 }))).toMatchObject(refused);
  });

  test("is accepted while the higher one was only staged, or on trial and rolled back", async () => {
    expect(await run.upload(bundled({ version: "0.3.0", securityVersion: 5 }))).toMatchObject({
      status: 200,
    });
    expect(await run.upload(bundled({ version: "0.2.0", securityVersion: 1 }))).toMatchObject({
      status: 200,
    });
    await tryOut("0.3.0", 5);
    run = run.reboot("crash", allowing);
    await tryOut("0.2.0", 1);
    run.ota.confirm();
    expect(await run.upload(bundled({ version: "0.4.0", securityVersion: 1 }))).toMatchObject({
      status: 200,
    });
    expect(await run.upload(bundled({ version: "0.4.0", securityVersion: 0 }))).toMatchObject(refused);
  });
});

test("The security version changes with the confirmation, whenever power is lost", async () => {
  const found = new Set<string>();
  for (let operation = 1; ; operation++) {
    run = new Run(flashedStorage(), allowing);
    await tryOut("0.3.0", 2);
    run.storage.cutPowerAt(operation);
    try {
      run.ota.confirm();
    } catch (error) {
      if (!run.storage.isOff) throw error;
    }
    const isCut = run.storage.isOff;
    run = run.reboot("power_on", allowing);
    const { running_version } = run.ota.status();
    found.add(running_version);
    const reply = await run.upload(bundled({ version: "0.4.0", securityVersion: 1 }));
    expect(reply).toMatchObject(running_version === "0.3.0" ? refused : { status: 200 });
    if (!isCut) break;
    expect(operation).toBeLessThan(200);
  }
  expect([...found].sort()).toEqual(["0.1.0", "0.3.0"]);
});
