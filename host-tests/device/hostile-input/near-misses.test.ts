/**
 * Texts that almost match a pattern are rejected as fast as others. The engine tries all divisions of a text between two
 * adjacent repetitions, and the watchdog resets a console whose match takes long.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";

let console: Console;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console.stop());

const LONG = 220;
const ADDRESSES = [
  `http://${"a".repeat(LONG)}!`,
  `http://${"a.".repeat(LONG / 2)}!`,
  `http://h/${"a/".repeat(LONG / 2)}!`,
  `http://[${":".repeat(LONG)}!`,
  `http://h:${"1".repeat(LONG)}!`,
];
const post = (target: string) => fetch(`${console.http}${target}`, { method: "POST" });

test.each(ADDRESSES)("an invalid hub address is rejected at once: %s", async (address) => {
  expect((await post(`/api/hub?url=${encodeURIComponent(address)}`)).status).toBe(400);
});

const PASSWORDS = ["a".repeat(63), "0".repeat(64), "a ".repeat(30)].map((text) => `${text}\u00e4`);

test.each(PASSWORDS)("an invalid Wi-Fi password is rejected at once: %j", async (password) => {
  const usb = await UsbClient.open(console.usb);
  const query = new URLSearchParams({ ssid: "Home", password });
  expect((await usb.request("POST", `/api/wifi?${query}`)).status).toBe(400);
  await usb.close();
});

test("the console has not restarted", async () => {
  expect(console.stderr.filter((line) => /watchdog|reset reason is (?!power_on)/.test(line))).toEqual([]);
});
