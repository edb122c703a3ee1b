/**
 * Light use of a console over HTTP, USB and a hub: reads the status, installs an app, starts and stops it. Returns
 * every answer; the test decides which ones are correct.
 */
import { installOverHttp, installOverUsb } from "./app-clients.js";
import type { AppConsole } from "./app-console.js";
import { moduleOf, packageOf } from "./app-files.js";
import type { SmallHub } from "./small-hub.js";
import { UsbClient } from "./usb-client.js";

export interface Told {
  readonly what: string;
  /** HTTP status; 0 if the connection ended without an answer. */
  readonly status: number;
  readonly error?: string | undefined;
  readonly hasRetryAfter: boolean;
}

const MODULE = `(module
  (import "svc" "sleep_ms" (func $sleep (param i32)))
  (memory (export "memory") 1)
  (func (export "main") (loop $again (call $sleep (i32.const 20)) (br $again))))`;

export interface ModestUse {
  readonly hub?: SmallHub;
  readonly withUsb?: boolean;
}

export async function useModestly(
  console: AppConsole,
  { hub, withUsb = false }: ModestUse = {},
): Promise<Told[]> {
  const told: Told[] = [];
  const file = packageOf(await moduleOf(MODULE), { name: "modest" });
  const signature = console.publisher.sign(file);
  const ask = async (method: string, target: string) => {
    const what = `${method} ${target}`;
    try {
      const init = { method, headers: { connection: "close" } };
      const answer = await fetch(console.http + target, init);
      const text = await answer.text();
      const error = answer.status >= 400 ? JSON.parse(text).error : undefined;
      told.push({ what, status: answer.status, error, hasRetryAfter: answer.headers.has("retry-after") });
    } catch {
      told.push({ what, status: 0, hasRetryAfter: false });
    }
  };
  const note = async (
    what: string,
    reply: Promise<{ status: number; body: { [field: string]: unknown } }>,
  ) => {
    try {
      const { status, body } = await reply;
      told.push({
        what,
        status,
        error: body["error"] as string | undefined,
        hasRetryAfter: typeof body["retry_after_s"] === "number",
      });
    } catch {
      told.push({ what, status: 0, hasRetryAfter: false });
    }
  };
  await ask("GET", "/api/status");
  await ask("GET", "/api/logs");
  await note("install over HTTP", installOverHttp(console, { file, signature }));
  await ask("GET", "/api/apps/list");
  await ask("POST", "/api/apps/start?name=modest");
  await ask("GET", "/api/screen");
  await ask("POST", "/api/apps/stop?name=modest");
  if (withUsb) {
    const usb = await UsbClient.open(console.usb);
    await note("status over USB", usb.request("GET", "/api/status"));
    await note("install over USB", installOverUsb(usb, { file, signature }, 2048));
    await usb.close();
  }
  if (hub) await note("install by the hub", pushed(hub, file, signature));
  return told;
}

let pushes = 0;

async function pushed(hub: SmallHub, bytes: Uint8Array, signature: string) {
  const command_id = `modest-${++pushes}`;
  const download_url = hub.serve("/api/v1/modest", { bytes, signature });
  const from = hub.received.length;
  await hub.connected();
  hub.send({ type: "app.install", command_id, app_id: "modest", version: "1.0.0", download_url });
  const { success, error } = await hub.receive(
    "app.install.result",
    (message) => message.command_id === command_id,
    from,
  );
  return { status: success ? 200 : 500, body: { error } };
}
