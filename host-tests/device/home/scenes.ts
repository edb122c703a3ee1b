/**
 * Consoles in the states whose screens are looked at, each with a user at its buttons and everything fixed that screens
 * show: the name, the apps with their sizes and ends, the hub with its claim code, and the firmware.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { INSTALLED_APPS_LIMIT } from "../../../device/services/apps/app-store.js";
import type { AppInstall, FirmwareUpdate } from "../../../protocol/hub/push-messages.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { type FirmwareConsole, startFirmwareConsole, UPLOAD } from "../../hosts/firmware-console.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { HomeUser } from "../../hosts/home-user.js";
import { SmallHub } from "../../hosts/small-hub.js";

export interface Scene {
  readonly console: FirmwareConsole;
  readonly user: HomeUser;
  readonly hub: SmallHub | undefined;
}

const MAC = ["--mac", "02:00:00:00:1A:2B"];

/** An app of a scene. */
export interface SceneApp {
  readonly name: string;
  readonly module: string;
  readonly description?: string;
  readonly hasIcon?: boolean;
}

/** Looks at no button. */
const WAITING = `(module (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (func (export "main") (loop $again (drop (call $sleep (i32.const 1000))) (br $again))))`;
const TRAPPING = '(module (func (export "main") unreachable))';
const ENDING = '(module (func (export "main")))';

const ICON = readFileSync(path.join(import.meta.dirname, "../../../sdk/examples/clock/icon_32.bmp"));

export const THREE_APPS: readonly SceneApp[] = [
  { name: "clock", module: WAITING, description: "Shows the time since the start.", hasIcon: true },
  { name: "crasher", module: TRAPPING, description: "Ends badly." },
  { name: "once", module: ENDING },
];

export const MANY_APPS: readonly SceneApp[] = Array.from({ length: INSTALLED_APPS_LIMIT }, (_, index) => ({
  name: `app-${String(index).padStart(2, "0")}`,
  module: ENDING,
  hasIcon: index % 2 === 0,
}));

export async function install(console: FirmwareConsole, app: SceneApp): Promise<void> {
  const { name, module, description = "", hasIcon } = app;
  const capabilities = ["display.write", "gpio.read"];
  const manifest = { name, description, author: "SVC tests", capabilities };
  const file = packageOf(await moduleOf(module), manifest, hasIcon ? ICON : undefined);
  const { status, body } = await installOverHttp(console, { file, signature: console.publisher.sign(file) });
  if (status !== 200) throw new Error(`Cannot install "${name}": ${JSON.stringify(body)}`);
}

interface SceneOptions {
  readonly apps?: readonly SceneApp[];
  readonly hasHub?: boolean;
}

export async function startScene({ apps = [], hasHub = false }: SceneOptions = {}): Promise<Scene> {
  const hub = hasHub ? await SmallHub.start() : undefined;
  const console = await startFirmwareConsole({ flags: [...MAC, ...(hub ? ["--hub", hub.url] : [])] });
  // While a console registers, it may lack the memory for an install (docs/spec/memory.md#admission).
  await hub?.connected();
  for (const app of apps) await install(console, app);
  return { console, user: await HomeUser.of(console), hub };
}

export async function endScene({ console, user, hub }: Scene): Promise<void> {
  await user.close();
  await console.stop();
  await hub?.close();
}

/** Has the hub offer firmware that it serves. */
export async function offerFirmware({ console, hub }: Scene, version: string): Promise<void> {
  if (!hub) throw new Error("There is no hub to offer it");
  const bytes = await firmwareBundle({ version }, console.publisher);
  const update: FirmwareUpdate = {
    type: "firmware.update",
    command_id: version,
    version,
    download_url: hub.serve(`/api/v1/firmware/${version}/download`, { bytes }),
    signature: Buffer.from(bytes.subarray(6, 70)).toString("hex"),
  };
  await hub.connected();
  hub.send(update);
}

/** Has the hub order an app. Nothing is served: the user has not answered yet. */
export function orderApp({ hub }: Scene, name: string): void {
  if (!hub) throw new Error("There is no hub to order it");
  const version = "2.0.0";
  const command: AppInstall = {
    type: "app.install",
    command_id: `install-${name}`,
    app_id: name,
    version,
    download_url: `${hub.url}/api/v1/catalog/${name}/${version}/download`,
    size_bytes: 71_680,
    publisher: "Example",
  };
  hub.send(command);
}

const CHUNK_BYTES = 2048;

/** Sends the first half of a bundle in chunks, which leaves the update at 50 %. @returns sends the rest */
export async function sendHalf({ console }: Scene, version: string): Promise<() => Promise<void>> {
  const bytes = await firmwareBundle({ version }, console.publisher);
  const total = Math.ceil(bytes.length / CHUNK_BYTES);
  const half = Math.ceil(total / 2);
  const send = async (from: number, to: number) => {
    for (let chunk = from; chunk <= to; chunk++) {
      const query = new URLSearchParams({ chunk: `${chunk}`, total: `${total}` });
      const body = bytes.slice((chunk - 1) * CHUNK_BYTES, chunk * CHUNK_BYTES);
      const { status } = await fetch(`${console.http}${UPLOAD}?${query}`, { method: "POST", body });
      if (status !== (chunk === total ? 200 : 206)) throw new Error(`A chunk was answered with ${status}`);
    }
  };
  await send(1, half);
  return () => send(half + 1, total);
}
