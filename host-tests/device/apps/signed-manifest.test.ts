/**
 * A module on a drive with a manifest and its signature beside it (docs/management.md). Anyone may have written to the
 * drive, so both signatures count (docs/spec/app-packages.md#manifest-beside).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { manifestOf, moduleOf } from "../../hosts/app-files.js";
import { getJson } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";

const publisher = new Publisher();
const module = await moduleOf('(module (memory (export "memory") 1) (func (export "main")))');
const manifest = new TextEncoder().encode(JSON.stringify(manifestOf({ name: "gadget", version: "2.0.0" })));
const ZEROS = "00".repeat(64);

let card: string;
let console: AppConsole | undefined;
beforeEach(() => {
  card = mkdtempSync(path.join(tmpdir(), "card-"));
  mkdirSync(path.join(card, "apps"));
});
afterEach(async () => {
  await console?.stop();
  console = undefined;
  rmSync(card, { recursive: true, force: true });
});

const put = (name: string, content: Uint8Array | string) =>
  writeFileSync(path.join(card, "apps", name), content);

/** @param signatures of the module and of the manifest */
function putGadget(signatures: readonly [string, string], json: Uint8Array | string = manifest): void {
  put("gadget.wasm", module);
  put("gadget.wasm.sig", signatures[0]);
  put("gadget.json", json);
  put("gadget.json.sig", signatures[1]);
}
const putSigned = () => putGadget([publisher.sign(module), publisher.sign(manifest)]);

const start = async () => {
  console = await startAppConsole({ publisher, flags: ["--sd", card] });
  return console;
};
/** Whether the console has not restarted. */
const hasNotRestarted = async ({ http }: AppConsole) =>
  (await getJson(`${http}/api/system`)).reset_reason === "power_on";

test("A module with a signed manifest is installed at startup", async () => {
  putSigned();
  expect(await (await start()).apps()).toMatchObject([{ name: "gadget", version: "2.0.0" }]);
});

test("A module with a signed manifest is installed by the shell", async () => {
  const started = await start();
  putSigned();
  expect(await started.shell("app install /sd/apps/gadget.wasm")).toBe("Installed gadget 2.0.0.\n");
  expect(await hasNotRestarted(started)).toBe(true);
});

for (const { name, json } of [
  { name: "an empty manifest", json: "{}" },
  { name: "a valid manifest", json: manifest },
])
  test(`An invalid signature of ${name} is rejected, at startup and by the shell`, async () => {
    putGadget([publisher.sign(module), ZEROS], json);
    const started = await start();
    expect(await started.apps()).toEqual([]);
    expect(await started.shell("app install /sd/apps/gadget.wasm")).toMatch(/signature/);
    expect(await started.apps()).toEqual([]);
    expect(await hasNotRestarted(started)).toBe(true);
  });
