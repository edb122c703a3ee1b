/** The example `lamp` dims a light by pulses, and measures it (docs/lamp.md). */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { askHttp } from "../../hosts/http-client.js";
import { isMissing } from "../../hosts/peers.js";
import { showsPicture } from "./app-picture.js";

const example = path.join(import.meta.dirname, "../../../sdk/examples/lamp");
const TIMEOUT_MS = 120_000;
const [LEFT, RIGHT, A, SELECT] = [1 << 2, 1 << 3, 1 << 4, 1 << 9];

describe.skipIf(isMissing("clang"))("lamp (needs clang)", { timeout: TIMEOUT_MS }, () => {
  const state = mkdtempSync(path.join(tmpdir(), "console-"));
  let console: AppConsole;
  beforeAll(async () => {
    writeFileSync(path.join(state, "pins.txt"), "wire 38 2\n");
    console = await startAppConsole({ state });
    const directory = path.join(state, "lamp"); // a build writes beside the sources
    cpSync(example, directory, { recursive: true });
    await install((await buildApp(directory)).package);
    await install(packageOf(await moduleOf(METER), { name: "meter", capabilities: ["gpio.read"] } as never));
  }, TIMEOUT_MS);
  afterAll(async () => {
    expect(await console.stop()).toBe(0);
    rmSync(state, { recursive: true });
  });

  const METER = `(module (import "svc" "adc_read" (func $read (param i32) (result i32)))
    (func (export "main") (result i32) (call $read (i32.const 2))))`;

  async function install(file: Uint8Array): Promise<void> {
    const signature = console.publisher.sign(file);
    expect(await installOverHttp(console, { file, signature })).toMatchObject({ status: 200 });
  }

  /** @returns the millivolts that the lamp has, measured by another app; the lamp is behind then */
  async function measured(): Promise<number> {
    await console.app("start", "meter");
    const { last_exit } = await console.until(({ state }) => state === "stopped", "meter");
    return last_exit.code;
  }

  const press = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });
  async function screen(): Promise<Buffer> {
    return Buffer.from(await (await fetch(`${console.http}/api/screen`)).arrayBuffer());
  }

  /** Presses and releases buttons, and waits until the picture is another one. */
  async function tap(bits: number): Promise<void> {
    const before = await screen();
    await press(bits);
    await expect.poll(async () => before.equals(await screen()), { timeout: TIMEOUT_MS }).toBe(false);
    await press(0);
  }

  test("is half bright at first, is dimmed in steps, and is dark after its end", async () => {
    await console.app("start", "lamp");
    await showsPicture(console, "lamp");
    for (let step = 0; step < 3; step++) await tap(RIGHT);
    await showsPicture(console, "lamp-brighter");
    for (let step = 0; step < 11; step++) await tap(LEFT);
    await press(LEFT); // there are no more
    await press(0);
    await showsPicture(console, "lamp-off");
    await tap(A); // glows and fades from here
    const measuredMeanwhile = async () => {
      const millivolts = await measured();
      await console.app("front", "lamp");
      return millivolts;
    };
    await expect.poll(measuredMeanwhile, { timeout: TIMEOUT_MS }).toBeGreaterThan(0);
    await press(SELECT);
    const { last_exit } = await console.until(({ state }) => state === "stopped", "lamp");
    expect(last_exit).toMatchObject({ reason: "exit", code: 0 });
    await press(0);
    expect(await measured()).toBe(0);
  });
});
