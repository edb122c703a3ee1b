/** Apps that the hub installs and uninstalls on a real console. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AppInstall } from "../../../protocol/hub/push-messages.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { SmallHub } from "../../hosts/small-hub.js";

const PACKAGE_PATH = "/api/v1/catalog/tetris/download?version=1.0.0";

let hub: SmallHub;
let console: AppConsole;
let bytes: Uint8Array;
let url: string;
let commands = 0;

beforeAll(async () => {
  hub = await SmallHub.start();
  console = await startAppConsole({ flags: ["--hub", hub.url] });
  // Noise does not shrink: the file has several times what is read at once.
  const noise = [...randomBytes(150_000)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
  const module = await moduleOf(`(module (memory 3) (data (i32.const 0) "${noise}") (func (export "main")))`);
  bytes = packageOf(module, { memory_quota: 262144 });
  url = hub.serve(PACKAGE_PATH, { bytes, signature: console.publisher.sign(bytes) });
  await hub.receive("device.status");
});
afterAll(async () => {
  await console.stop();
  await hub.close();
});
beforeEach(() => {
  hub.cutAfterBytes = undefined;
  hub.downloads.length = 0;
});

const nameless = (): AppInstall => ({
  type: "app.install",
  app_id: "tetris",
  version: "1.0.0",
  download_url: url,
});

async function resultOf(
  message: AppInstall | { type: "app.uninstall"; app_id: string },
  command_id = `${++commands}`,
) {
  const from = hub.received.length;
  hub.send({ ...message, command_id });
  return hub.receive(`${message.type}.result`, (result) => result.command_id === command_id, from);
}

test("An app install ordered twice under one command id is executed once", async () => {
  const expected = {
    type: "app.install.result",
    command_id: "1",
    app_id: "tetris",
    success: true,
    error: null,
  };
  expect(await resultOf(nameless())).toEqual(expected);
  expect(await console.apps()).toMatchObject([{ name: "tetris", version: "1.0.0", state: "stopped" }]);
  expect(await resultOf(nameless(), "1")).toEqual(expected);
  expect(hub.downloads).toEqual([
    { path: PACKAGE_PATH, range: undefined, token: `Bearer ${hub.deviceToken}` },
  ]);
});

test("An interrupted download resumes where it ended", async () => {
  hub.cutAfterBytes = 64 * 1024;
  expect(await resultOf(nameless())).toMatchObject({ success: true });
  expect(hub.downloads.length).toBe(Math.ceil(bytes.length / hub.cutAfterBytes));
  expect(hub.downloads.slice(1).every(({ range }) => range !== undefined)).toBe(true);
});

test("A download that is mismatched, unsigned, wrongly signed or missing fails with its code and changes nothing", async () => {
  const before = await console.trace();
  expect(await resultOf({ ...nameless(), version: "2.0.0" })).toMatchObject({ error: "download_mismatch" });
  expect(await resultOf({ ...nameless(), app_id: "chess" })).toMatchObject({ error: "download_mismatch" });
  const stranger = hub.serve("/stranger", { bytes, signature: "00".repeat(64) });
  expect(await resultOf({ ...nameless(), download_url: stranger })).toMatchObject({
    error: "signature_invalid",
  });
  const unsigned = hub.serve("/unsigned", { bytes });
  expect(await resultOf({ ...nameless(), download_url: unsigned })).toMatchObject({
    error: "signature_missing",
  });
  expect(await resultOf({ ...nameless(), download_url: `${hub.url}/none` })).toMatchObject({
    success: false,
    error: "app_not_found",
  });
  expect(await console.trace()).toEqual(before);
  const elsewhere = hub.downloads.filter(({ path }) => !path.startsWith("/api/v1/"));
  expect(elsewhere.map(({ path, token }) => path + token)).toEqual(["/stranger", "/unsigned"]);
});

test("An uninstall ordered by the hub succeeds, also for an app that is not installed", async () => {
  const command = { type: "app.uninstall", app_id: "tetris" } as const;
  expect(await resultOf(command)).toMatchObject({ type: "app.uninstall.result", success: true, error: null });
  expect(await console.apps()).toEqual([]);
  expect(await resultOf(command)).toMatchObject({ success: true });
});
