/** The largest number of apps with the largest manifests, in a board's heap (docs/spec/http.md#memory-busy). */
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { CAPABILITIES } from "../../../protocol/capabilities.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { getJson } from "../../hosts/http-client.js";
import { isMissing } from "../../hosts/peers.js";
import { UsbClient } from "../../hosts/usb-client.js";

/** Most apps that a 32-bit console keeps; it rejects another. */
const APPS = 64;

test.skipIf(isMissing("multilib"))(
  "64 apps with maximal manifests are listed and run; a 65th is rejected with 507 storage_full, and leaves nothing",
  async () => {
    const console = await startAppConsole({ variant: "m32" });
    const usb = await UsbClient.open(console.usb);
    const name = (number: number) => `app-${number}`.padEnd(32, "x");
    const install = async (number: number) => {
      const capabilities = CAPABILITIES.map((capability) => capability.name);
      const texts = { description: "d".repeat(128), author: "a".repeat(128) };
      const module = await moduleOf('(module (memory 1) (func (export "main") (loop $again (br $again))))');
      const file = packageOf(module, { name: name(number), capabilities, ...texts });
      return installOverHttp(console, { file, signature: console.publisher.sign(file) });
    };
    for (let number = 0; number < APPS; number++)
      expect(await install(number)).toMatchObject({ status: 200 });
    expect(await install(APPS)).toMatchObject({ status: 507, body: { error: "storage_full" } });
    const kept = readdirSync(path.join(console.state, "lfs/apps")).filter((entry) => entry !== ".staging");
    expect(kept.sort()).toEqual(Array.from({ length: APPS }, (_, number) => name(number)).sort());
    expect(await install(APPS - 1)).toMatchObject({ status: 200 }); // an update is not one more
    for (let number = 0; number < 4; number++)
      expect((await console.app("start", name(number))).status).toBe(200);
    const lists = await Promise.all([
      console.apps(),
      console.apps(),
      console.apps(),
      usb.request("GET", "/api/apps/list"),
    ]);
    for (const list of [...lists.slice(0, 3), (lists[3] as { body: unknown }).body])
      expect(list).toHaveLength(APPS);
    expect((await console.shell("app list")).split("\n")).toHaveLength(APPS + 1);
    expect((await getJson(`${console.http}/api/system`)).reset_reason).toBe("power_on");
    await usb.close();
    expect(await console.stop()).toBe(0);
  },
);
