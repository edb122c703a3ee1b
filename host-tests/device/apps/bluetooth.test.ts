/** Apps that advertise by the simulated radio (docs/spec/simulated-console.md#bluetooth). */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AppConsole } from "../../hosts/app-console.js";
import { getJson } from "../../hosts/http-client.js";
import { mustInstall, startHostileConsole, stopApp, stopCleanly, whileProbed } from "./hostile-apps.js";

const state = mkdtempSync(path.join(tmpdir(), "console-"));
let console: AppConsole;
beforeAll(async () => {
  console = await startHostileConsole({ state });
});
afterAll(async () => {
  await stopCleanly(console);
  expect(existsSync(path.join(state, "ble"))).toBe(false);
  rmSync(state, { recursive: true });
});

/** What a receiver in range gets, `undefined` while there is nothing. */
function scan(): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = net.connect(path.join(state, "ble"));
    socket.on("data", (piece) => pieces.push(piece));
    socket.on("end", () => resolve(Buffer.concat(pieces)));
    socket.on("error", () => resolve(undefined));
  });
}

const bluetoothMode = async () => (await getJson(`${console.http}/api/status`)).bt_mode;

const SVC = `(import "svc" "ble_advertise" (func $advertise (param i32 i32) (result i32)))
  (import "svc" "ble_stop" (func $stop (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (memory 1) (data (i32.const 0) "Gr\\c3\\bc\\c3\\9fe aus der Konsole 1234")`;
const must = (result: number, call: string) =>
  `(if (i32.ne ${call} (i32.const ${result})) (then unreachable))`;
const advertise = (length: number, at = 0) => `(call $advertise (i32.const ${at}) (i32.const ${length}))`;
/** The second byte of a character. */
const NO_NAME = advertise(1, 3);
const wait = "(drop (call $sleep (i32.const 0x7fffffff)))";

test("A name is in the air and in the status until its app is stopped; another app is busy meanwhile", async () => {
  expect([await bluetoothMode(), await scan()]).toEqual(["off", undefined]);
  await mustInstall(console, {
    module: `${SVC} (func (export "main") ${must(-22, advertise(27))} ${must(-2, "(call $stop)")}
      ${must(0, advertise(9))} ${must(-22, advertise(0))} ${must(-22, NO_NAME)} ${must(0, advertise(26))} ${wait})`,
  });
  await mustInstall(console, {
    name: "other",
    module: `${SVC} (func (export "main") (result i32)
      ${must(-16, advertise(6))} ${must(-2, "(call $stop)")} (i32.const 7))`,
  });
  await console.app("start", "hostile");
  await expect.poll(bluetoothMode).toBe("advertising");
  await expect.poll(async () => (await scan())?.length).toBe(31);
  const name = Buffer.from("Grüße aus der Konsole 1234").subarray(0, 26);
  expect(await scan()).toEqual(Buffer.from([2, 1, 6, 27, 9, ...name]));
  await console.app("start", "other");
  const { last_exit } = await console.until((entry) => entry.state === "stopped", "other");
  expect(last_exit).toMatchObject({ reason: "exit", code: 7 });
  expect(await bluetoothMode()).toBe("advertising");
  await stopApp(console);
  expect([await bluetoothMode(), await scan()]).toEqual(["off", undefined]);
});

test("An app that traps takes its name out of the air", async () => {
  await mustInstall(console, {
    module: `${SVC} (func (export "main") ${must(0, advertise(6))} unreachable)`,
  });
  await console.app("start", "hostile");
  const { last_exit } = await console.until((entry) => entry.state === "stopped", "hostile");
  expect(last_exit).toMatchObject({ reason: "trap" });
  expect([await bluetoothMode(), await scan()]).toEqual(["off", undefined]);
});

test("An app that advertises and stops without end leaves requests and receivers answered", async () => {
  await mustInstall(console, {
    module: `${SVC} (func (export "main") (loop $again
      ${must(0, advertise(6))} ${must(0, advertise(7))} ${must(0, "(call $stop)")} (br $again)))`,
  });
  await whileProbed(console, async (prober) => {
    expect((await console.app("start", "hostile")).status).toBe(200);
    for (let turn = 0; turn < 20; turn++) {
      await prober.answers(2);
      const data = await scan();
      if (data && data.length > 0) expect([11, 12]).toContain(data.length);
    }
    expect((await stopApp(console)).last_exit).toMatchObject({ reason: "stopped" });
  });
  expect([await bluetoothMode(), await scan()]).toEqual(["off", undefined]);
});
