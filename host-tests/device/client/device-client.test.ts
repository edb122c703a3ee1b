/** Every method of the client with a console, over HTTP and over the pseudo-terminal. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Device } from "../../../device-client/device.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { kindsInTier } from "../../tier.js";
import { closeAll, codeOf, connect, TRANSPORTS, waiter } from "./transports.js";

const publisher = new Publisher();
const random = (byteLength: number) =>
  Uint8Array.from({ length: byteLength }, (_, index) => (index * 7919) >> 3);

/** An app that logs hello and then sleeps, in a package of more than `byteLength` bytes. */
async function appOf(name: string, byteLength = 0): Promise<Uint8Array> {
  const module = await moduleOf(`(module
    (import "svc" "log" (func $log (param i32 i32 i32)))
    (import "svc" "sleep_ms" (func $sleep (param i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "hello")
    (func (export "main") (call $log (i32.const 1) (i32.const 0) (i32.const 5))
      (loop (call $sleep (i32.const 50)) (br 0))))`);
  return packageOf(withSection(module, byteLength), { name });
}

/** Adds a custom section of random bytes, which hardly compress. */
function withSection(module: Uint8Array, byteLength: number): Uint8Array {
  if (byteLength === 0) return module;
  const content = new Uint8Array(byteLength + 2);
  crypto.getRandomValues(content.subarray(2, 2 + Math.min(byteLength, 65536)));
  for (let at = 65538; at < content.length; at += 65536)
    crypto.getRandomValues(content.subarray(at, at + 65536));
  content.set([1, 0x78]);
  return Buffer.concat([module, Uint8Array.of(0), unsigned(content.length), content]);
}

function unsigned(value: number): Uint8Array {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest < 128 ? rest : (rest & 127) | 128);
    if (rest < 128) return Uint8Array.from(bytes);
  }
}

afterEach(closeAll);

for (const transport of kindsInTier(TRANSPORTS))
  describe(`a client over ${transport}`, () => {
    let simulated: AppConsole;
    let device: Device;
    beforeAll(async () => {
      simulated = await startAppConsole({ publisher });
    });
    afterAll(() => simulated.stop());
    const begin = async () => {
      device = await connect(transport, simulated);
    };

    test("reads status and system information", async () => {
      await begin();
      expect(device.transport.kind).toBe(transport);
      expect(Object.keys(await device.status())).toHaveLength(7);
      expect(await device.system()).toMatchObject({ name: simulated.name, arch: "native" });
      expect(device.transport.address).toBe(transport === "http" ? simulated.http : `usb:${simulated.usb}`);
    });

    test("installs, starts, stops and uninstalls an app, and reports upload progress", async () => {
      await begin();
      const file = await appOf("tetris", 40_000);
      const progress: number[] = [];
      const onProgress = (sent: number) => progress.push(sent);
      const entry = await device.install({ file, signature: publisher.sign(file), onProgress });
      expect(entry).toMatchObject({ name: "tetris", state: "stopped" });
      expect(progress.at(-1)).toBe(file.length);
      expect(progress.length).toBeGreaterThan(2);
      expect(progress).toEqual([...progress].sort((a, b) => a - b));
      expect(await device.apps()).toEqual([entry]);
      expect(await device.start("tetris")).toMatchObject({ state: "running" });
      expect(await codeOf(device.start("tetris"))).toBe("app_running");
      expect(await device.stop("tetris")).toMatchObject({ state: "stopped" });
      expect(await device.uninstall("tetris")).toEqual({ removed: "tetris" });
      expect(await device.apps()).toEqual([]);
    });

    test("installs a module under the given name", async () => {
      await begin();
      const file = await moduleOf('(module (func (export "main")))');
      const entry = await device.install({ file, name: "bare", signature: publisher.sign(file) });
      expect([entry.name, await device.uninstall("bare")]).toEqual(["bare", { removed: "bare" }]);
    });

    test("rejects with the console's code, status and message", async () => {
      await begin();
      const file = await appOf("tetris");
      expect(await codeOf(device.install({ file }))).toBe("signature_missing");
      expect(await codeOf(device.install({ file, signature: new Publisher().sign(file) }))).toBe(
        "signature_invalid",
      );
      expect(await codeOf(device.start("tetris"))).toBe("app_not_found");
      expect(await codeOf(device.otaUpload({ file: random(5000) }))).toBe("bundle_magic");
      expect(await codeOf(device.otaConfirm())).toBe("nothing_pending");
      await expect(device.stop("no such app")).rejects.toMatchObject({
        name: "DeviceError",
        code: "app_not_found",
        status: 404,
        message: expect.stringContaining("no such app"),
      });
    });

    test("reports file_too_large even if the console answers before all is sent", async () => {
      await begin();
      const file = new Uint8Array(3 * 1024 * 1024);
      file.set([0, 0x61, 0x73, 0x6d, 1]); // the magic of a module
      expect(await codeOf(device.install({ file, signature: publisher.sign(file) }))).toBe("file_too_large");
      expect((await device.status()).fw_version).toBeDefined();
    });

    test("runs shell commands, takes a screenshot and presses buttons", async () => {
      await begin();
      expect(await device.shell("uptime")).toEqual({ output: expect.stringMatching(/\n$/) });
      expect([...(await device.screen()).subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
      expect(await device.press(5)).toEqual({ pressed: 5 });
      expect(await device.press(0)).toEqual({ pressed: 0 });
    });

    test("reads and sets the hub, over HTTP only once, and reads the OTA status", async () => {
      await begin();
      expect(await device.setHub("http://127.0.0.1:1/")).toMatchObject({ connected: false });
      // Only the cable and the bearer token change a hub that is set.
      if (transport === "http") expect(await codeOf(device.setHub(""))).toBe("unauthorized");
      const byCable = transport === "http" ? await connect("usb", simulated) : device;
      expect(await byCable.setHub("")).toEqual({ url: "", connected: false });
      expect(await device.hub()).toEqual({ url: "", connected: false });
      expect(await device.otaStatus()).toMatchObject({ state: "idle", running_slot: "a" });
    });

    test("allows token and Wi-Fi requests over USB only", async () => {
      await begin();
      const asked = await Promise.all([device.accessToken(), device.wifi(), device.scanWifi()].map(codeOf));
      expect(asked).toEqual(transport === "usb" ? Array(3).fill("fulfilled") : Array(3).fill("usb_only"));
    });

    test("cancels an upload, which the console drops at once", async () => {
      await begin();
      const file = await appOf("tetris", 400_000);
      const cancel = new AbortController();
      const onProgress = (sent: number) => sent > 40_000 && cancel.abort();
      const signature = publisher.sign(file);
      const before = await simulated.trace();
      expect(await codeOf(device.install({ file, signature, onProgress, signal: cancel.signal }))).toBe(
        "cancelled",
      );
      await simulated.waitForLine(/dropped an upload over /);
      expect(await simulated.trace()).toEqual(before);
      const again = await connect(transport, simulated);
      expect(await again.install({ file, signature })).toMatchObject({ name: "tetris" });
      await again.uninstall("tetris");
    });

    test("follows the log from its beginning, with each line once", async () => {
      await begin();
      const lines: string[] = [];
      const arrived = waiter();
      const stop = device.transport.followLog((line) => {
        lines.push(line);
        arrived.check();
      });
      await arrived.until(() => lines.some((line) => / I boot: firmware /.test(line)));
      const file = await appOf("talker");
      await device.install({ file, signature: publisher.sign(file) });
      await device.start("talker");
      await arrived.until(() => lines.some((line) => line.endsWith(" I app/talker: hello")));
      stop();
      await device.uninstall("talker");
      await simulated.waitForLine(/ I app\/talker: hello$/);
      const written = simulated.stderr.slice(simulated.stderr.indexOf(lines[0] as string));
      expect(lines).toEqual(written.slice(0, lines.length)); // each line once, in order; some lines are equal
    });
  });
