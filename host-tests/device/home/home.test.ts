/** The home screen on a console: what its buttons do there (docs/spec/home.md). */

import { afterAll, beforeAll, expect, test } from "vitest";
import { HIGHLIGHT } from "../../../device/home/app/palette.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { hexOf } from "../../hosts/colours.js";
import { HomeUser } from "../../hosts/home-user.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { readPng } from "../../hosts/read-png.js";
import { UsbClient } from "../../hosts/usb-client.js";

const BITS = { up: 1, down: 2, left: 4, right: 8, a: 16, b: 32, start: 256, select: 512 } as const;

/** Draws a red display, and spins without looking at a button. */
const HUNG = `(module (import "svc" "display_fill" (func $fill (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "display_flush" (func $flush (result i32)))
  (func (export "main")
    (drop (call $fill (i32.const 0) (i32.const 0) (i32.const 240) (i32.const 320) (i32.const 0xf800)))
    (drop (call $flush))
    (loop $for-ever (br $for-ever))))`;
const TRAPPING = '(module (func (export "main") unreachable))';

let console: AppConsole;

beforeAll(async () => {
  console = await startAppConsole({ flags: ["--config", "CONFIG_SVC_HOME_REMOTE=on"] });
  for (const [name, text] of [
    ["hung", HUNG],
    ["trapping", TRAPPING],
  ] as const) {
    const file = packageOf(await moduleOf(text), { name, capabilities: ["display.write"] });
    const { status } = await installOverHttp(console, { file, signature: console.publisher.sign(file) });
    expect(status).toBe(200);
  }
});
afterAll(async () => {
  expect(await console.stop()).toBe(0);
});

const hold = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });

/** Holds buttons until they have had their effect: on a busy machine the home screen may look only now and then. */
async function press(bits: number, effect: () => Promise<void>): Promise<void> {
  await hold(bits);
  await effect();
  await hold(0);
}

const front = async () => (await getJson(`${console.http}/api/system`)).foreground;

async function screen(): Promise<Buffer> {
  const answer = await fetch(`${console.http}/api/screen`);
  return readPng(Buffer.from(await answer.arrayBuffer())).rgb;
}

const changesFrom = (before: Buffer) => () =>
  expect.poll(async () => (await screen()).equals(before)).toBe(false);

/** Pixels of the display that have a colour, in hexadecimal. */
async function count(colour: string): Promise<number> {
  const rgb = await screen();
  const wanted = Buffer.from(colour, "hex");
  let found = 0;
  for (let at = 0; at < rgb.length; at += 3) if (rgb.subarray(at, at + 3).equals(wanted)) found++;
  return found;
}

const RED = "ff0000";
const WHITE = "ffffff";
/** What it is on. */
const CURSOR = hexOf(HIGHLIGHT);
const CARD = "181c21";
const EVERY_PIXEL = 240 * 320;
/** No button but B counts for half a second after a card has come by itself, and the home screen may be late. */
const UNHEARD_MS = 1000;
/** It shows free memory and time, which change by themselves. */
const STATUS_BAR_BYTES = 24 * 240 * 3;

test("It is there after the start, and in no list of apps", async () => {
  await expect.poll(() => count(CURSOR)).toBeGreaterThan(100); // of an app in its grid
  expect(await front()).toBeUndefined();
  expect((await console.apps()).map(({ name }) => name)).toEqual(["hung", "trapping"]);
  expect(await console.app("uninstall", "home")).toMatchObject({ status: 404 });
});

test("A starts the app under the cursor; Select and Start lead home from it, although it hangs", async () => {
  await press(BITS.a, () => expect.poll(front).toBe("hung"));
  await expect.poll(() => count(RED)).toBe(EVERY_PIXEL);

  await press(BITS.select | BITS.start, () => expect.poll(front).toBeUndefined());
  await expect.poll(() => count(RED)).toBeLessThan(EVERY_PIXEL / 10);
  expect((await console.apps())[0]).toMatchObject({ name: "hung", state: "running" });

  await press(BITS.a, () => expect.poll(front).toBe("hung")); // it runs: it comes back, with its picture
  await expect.poll(() => count(RED)).toBe(EVERY_PIXEL);
  await console.app("stop", "hung");
  await expect.poll(() => count(WHITE)).toBeGreaterThan(100);
});

test("A build may name other buttons that lead home", async () => {
  const other = await startAppConsole({ flags: ["--config", "CONFIG_SVC_HOME_CHORD=b+start"] });
  const file = packageOf(await moduleOf(HUNG), { name: "hung", capabilities: ["display.write"] });
  await installOverHttp(other, { file, signature: other.publisher.sign(file) });
  await other.app("start", "hung");
  const foreground = async () => (await getJson(`${other.http}/api/system`)).foreground;
  expect(await foreground()).toBe("hung");
  const usb = await UsbClient.open(other.usb);
  await usb.request("POST", "/api/buttons", { pressed: BITS.select | BITS.start });
  await new Promise((resolve) => setTimeout(resolve, UNHEARD_MS));
  expect(await foreground()).toBe("hung");
  await usb.request("POST", "/api/buttons", { pressed: BITS.b | BITS.start });
  await expect.poll(foreground).toBeUndefined();
  await usb.close();
  expect(await other.stop()).toBe(0);
});

test("An app that traps comes back to the home screen, with a card", async () => {
  await press(BITS.right, changesFrom(await screen()));
  const trapped = async () => (await console.apps())[1].last_exit?.reason;
  await press(BITS.a, () => expect.poll(trapped).toBe("trap"));
  await expect.poll(front).toBeUndefined();
  await expect.poll(() => count(CARD)).toBeGreaterThan(EVERY_PIXEL / 4);
  await new Promise((resolve) => setTimeout(resolve, UNHEARD_MS));
  await press(BITS.a, () => expect.poll(() => count(CARD)).toBeLessThan(EVERY_PIXEL / 4));
});

// docs/spec/home.md#ended
test("An app that something else has started shows a card too when it traps, each time", async () => {
  for (let times = 0; times < 2; times++) {
    expect(await console.app("start", "trapping")).toMatchObject({ status: 200 });
    await expect.poll(() => count(CARD)).toBeGreaterThan(EVERY_PIXEL / 4);
    await new Promise((resolve) => setTimeout(resolve, UNHEARD_MS));
    await press(BITS.a, () => expect.poll(() => count(CARD)).toBeLessThan(EVERY_PIXEL / 4));
  }
});

test("Whoever is no owner presses buttons of apps, and none of the home screen", async () => {
  const other = await startAppConsole();
  const bits = `${other.http}/api/buttons?pressed=${BITS.select}`;
  const shown = async () => {
    const answer = await fetch(`${other.http}/api/screen`);
    return readPng(Buffer.from(await answer.arrayBuffer())).rgb.subarray(STATUS_BAR_BYTES);
  };
  const settled = async () => {
    for (let last = await shown(); ; ) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const now = await shown();
      if (now.equals(last)) return now;
      last = now;
    }
  };
  const before = await settled();
  expect((await askHttp(bits, { method: "POST" })).status).toBe(200);
  expect((await settled()).equals(before)).toBe(true);
  const usb = await UsbClient.open(other.usb);
  await usb.request("POST", "/api/buttons", { pressed: BITS.select });
  await expect.poll(async () => (await shown()).equals(before)).toBe(false);
  await usb.close();
  expect(await other.stop()).toBe(0);
});

/** Rows below the title and above the hints (device/home/app/screen.ts). */
const CONCEALED_ROWS = { from: 46, to: 300 };
const GREY = Buffer.from("848284", "hex");

test("Who is no owner does not see what is typed on its keyboard, and sees everything else", async () => {
  const other = await startAppConsole();
  const user = await HomeUser.of(other);
  const ownView = async () => (await user.look()).picture.rgb;
  const othersView = async () => {
    const answer = await fetch(`${other.http}/api/screen`);
    return readPng(Buffer.from(await answer.arrayBuffer())).rgb;
  };
  /** Rows that are grey to others, as they are shown without the status bar. */
  const concealed = async () => {
    const rgb = await othersView();
    const isGrey = (row: number) => {
      const pixels = rgb.subarray(row * 720, (row + 1) * 720);
      return pixels.equals(Buffer.alloc(720, GREY));
    };
    return Array.from({ length: 320 }, (_, row) => row).filter(isGrey);
  };
  await user.openSetting("Wi-Fi");
  await user.reads("Set up with a phone"); // the networks are there
  expect(await concealed()).toEqual([]);
  await user.choose("Other network", "Name of the network");
  const { from, to } = CONCEALED_ROWS;
  await expect.poll(concealed).toEqual(Array.from({ length: to - from }, (_, row) => from + row));
  const [own, others] = [await ownView(), await othersView()];
  expect(others.subarray(to * 720)).toEqual(own.subarray(to * 720)); // the hints
  expect(own.subarray(from * 720, to * 720).equals(others.subarray(from * 720, to * 720))).toBe(false);
  await user.tapUntil("b", "the networks", ({ title }) => title === "Wi-Fi");
  await expect.poll(concealed).toEqual([]);

  // The password of the set-up access point
  await user.choose("Set up with a phone", "Set up with a phone");
  await expect.poll(async () => (await concealed()).length).toBe(to - from);
  const setup = async () => (await user.ask("GET", "/api/wifi/setup")).body.state;
  expect(await setup()).toBe("open");
  await user.tapUntil("b", "the networks", ({ title }) => title === "Wi-Fi");
  await expect.poll(setup).toBe("closed");
  await expect.poll(concealed).toEqual([]);
  await user.close();
  expect(await other.stop()).toBe(0);
});

test("It does not disturb: the log has no warning of it", () => {
  expect(console.stderr.filter((line) => / [WE] home: /.test(line))).toEqual([]);
});
