/** Apps that the hub installs and uninstalls on a real console. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AppInstall } from "../../../protocol/hub/push-messages.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { SmallHub } from "../../hosts/small-hub.js";
import { aotFile } from "../../unit/services/apps/aot-file.js";

const PACKAGE_PATH = "/api/v1/catalog/tetris/download?version=1.0.0";

let hub: SmallHub;
let console: AppConsole;
let module: Uint8Array;
let bytes: Uint8Array;
let url: string;
let commands = 0;

beforeAll(async () => {
  hub = await SmallHub.start();
  console = await startAppConsole({ flags: ["--hub", hub.url] });
  // Noise does not shrink: the file has several times what is read at once.
  const noise = [...randomBytes(150_000)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
  module = await moduleOf(`(module (memory 3) (data (i32.const 0) "${noise}") (func (export "main")))`);
  bytes = packed("1.0.0");
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

const packed = (version: string) => packageOf(module, { version, memory_quota: 262144 });
const signed = (file: Uint8Array) => ({ bytes: file, signature: console.publisher.sign(file) });

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

/** Each is served at `/file` with what the row says, and ordered as tetris 1.0.0 unless the row says more. */
const REFUSED: readonly {
  readonly name: string;
  readonly file?: () => { bytes: Uint8Array; signature?: string };
  readonly order?: Partial<AppInstall>;
  readonly error: string;
}[] = [
  { name: "is another version", order: { version: "2.0.0" }, error: "download_mismatch" },
  { name: "is another app", order: { app_id: "chess" }, error: "download_mismatch" },
  {
    name: "is a module without a manifest",
    file: () => signed(module),
    error: "download_mismatch",
  },
  { name: "is an AOT file", file: () => signed(aotFile()), error: "download_mismatch" },
  { name: "has no signature", file: () => ({ bytes }), error: "signature_missing" },
  {
    name: "has the signature of another file",
    file: () => ({ bytes, signature: console.publisher.sign(module) }),
    error: "signature_invalid",
  },
  {
    name: "is not a package",
    file: () => signed(new Uint8Array(100).fill(1)),
    error: "media_type_unsupported",
  },
  {
    name: "is over the size limit of apps",
    file: () => signed(new Uint8Array(2_000_000)),
    error: "file_too_large",
  },
  { name: "is ordered under an invalid name", order: { app_id: "../x" }, error: "bad_parameter" },
];
for (const { name, file, order, error } of REFUSED)
  test(`A download that ${name} fails with ${error}, and changes nothing`, async () => {
    const before = await console.trace();
    const download_url = file ? hub.serve("/file", file()) : url;
    expect(await resultOf({ ...nameless(), download_url, ...order })).toMatchObject({
      success: false,
      error,
    });
    expect(await console.trace()).toEqual(before);
  });

test("A download that the hub does not have fails with the hub's code", async () => {
  expect(await resultOf({ ...nameless(), download_url: `${hub.url}/none` })).toMatchObject({
    success: false,
    error: "app_not_found",
  });
});

test("Only below the hub's API does the console send its token", async () => {
  const download_url = hub.serve("/elsewhere", { bytes });
  await resultOf({ ...nameless(), download_url });
  expect(hub.downloads).toMatchObject([{ path: "/elsewhere", token: "" }]);
});

test("A newer version replaces the app, and an older one only on the operator's request", async () => {
  const newer = packed("2.0.0");
  const install = (version: string) => ({
    ...nameless(),
    ...(version === "2.0.0" && { version, download_url: hub.serve("/newer", signed(newer)) }),
  });
  const versions = async () => (await console.apps()).map(({ version }) => version);
  expect(await resultOf(install("2.0.0"))).toMatchObject({ success: true });
  expect(await versions()).toEqual(["2.0.0"]);
  expect(await resultOf(install("1.0.0"))).toMatchObject({ error: "version_older" });
  expect(await versions()).toEqual(["2.0.0"]);
  expect(await resultOf({ ...install("1.0.0"), downgrade: true })).toMatchObject({ success: true });
  expect(await versions()).toEqual(["1.0.0"]);
});

test("An uninstall ordered by the hub succeeds, also for an app that is not installed", async () => {
  const command = { type: "app.uninstall", app_id: "tetris" } as const;
  expect(await resultOf(command)).toMatchObject({ type: "app.uninstall.result", success: true, error: null });
  expect(await console.apps()).toEqual([]);
  expect(await resultOf(command)).toMatchObject({ success: true });
});
