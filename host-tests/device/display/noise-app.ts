/**
 * An app that draws endlessly. Each picture is noise seeded with the pressed buttons, so that the test knows every
 * picture, and detects one that mixes two.
 */
import { askHttp } from "../../hosts/http-client.js";
import { assemble } from "../guest/wat.js";

export const WIDTH = 240;
export const HEIGHT = 320;

const textOf = (pauseMs: number) => `(module
  (import "svc" "display_blit" (func $blit (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "display_flush" (func $flush (result i32)))
  (import "svc" "buttons" (func $buttons (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (memory 3)
  (func (export "main") (local $at i32) (local $state i32)
    (loop $pictures
      (local.set $at (i32.const 0))
      (local.set $state (call $buttons))
      (loop $pixels
        (local.set $state (i32.add (i32.mul (local.get $state) (i32.const 1664525)) (i32.const 1013904223)))
        (i32.store16 (local.get $at) (i32.shr_u (local.get $state) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 2)))
        (br_if $pixels (i32.lt_u (local.get $at) (i32.const ${WIDTH * HEIGHT * 2}))))
      (drop (call $blit (i32.const 0) (i32.const 0) (i32.const ${WIDTH}) (i32.const ${HEIGHT}) (i32.const 0)))
      (drop (call $flush))
      ${pauseMs > 0 ? `(drop (call $sleep (i32.const ${pauseMs})))` : ""}
      (br $pictures))))`;

const MANIFEST = {
  name: "noise",
  version: "1.0.0",
  capabilities: ["display.write", "gpio.read"],
  memory_quota: 262_144,
};

/** The module, with its manifest in a custom section. @param pauseMs after each picture */
export function noiseApp(pauseMs = 0): Uint8Array<ArrayBuffer> {
  const name = Buffer.from("svc_manifest");
  const section = Buffer.concat([Buffer.of(name.length), name, Buffer.from(JSON.stringify(MANIFEST))]);
  if (section.length >= 1 << 14) throw new Error("The length takes more than two bytes");
  const length = Buffer.of((section.length & 127) | 128, section.length >> 7);
  return Uint8Array.from(Buffer.concat([assemble(textOf(pauseMs)), Buffer.of(0), length, section]));
}

/** What the app draws while these buttons are down, RGB565. */
export function noisePicture(buttons: number): Uint16Array {
  let state = buttons;
  return Uint16Array.from({ length: WIDTH * HEIGHT }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 16;
  });
}

/** Flags of a console for it: every button together would lead to the home screen. */
export const WITHOUT_HOME = Object.freeze([
  ...["--config", "CONFIG_SVC_ALLOW_UNSIGNED_APPS=on"],
  ...["--config", "CONFIG_SVC_HOME_SCREEN=off"],
]);

/** For tests that wait for pictures and need not be in a hurry. */
const PAUSE_MS = 50;

/** Installs and starts the app, with a pause after each picture. */
export async function startNoise({ http }: { readonly http: string }): Promise<void> {
  const init = { method: "POST", body: noiseApp(PAUSE_MS), headers: { "content-type": "application/wasm" } };
  for (const [at, request] of [
    ["install", init],
    ["start?name=noise", { method: "POST" }],
  ] as const) {
    const { status, body } = await askHttp(`${http}/api/apps/${at}`, request);
    if (status !== 200) throw new Error(`Cannot ${at} the app "noise": ${JSON.stringify(body)}`);
  }
}
