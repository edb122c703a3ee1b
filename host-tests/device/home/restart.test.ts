/** A factory reset that is chosen with the buttons of the home screen, which the restart ends (docs/spec/home.md#factory-reset). */

import { expect, test } from "vitest";
import { HIGHLIGHT } from "../../../device/home/app/palette.js";
import { startAppConsole } from "../../hosts/app-console.js";
import { hexOf } from "../../hosts/colours.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { readPng } from "../../hosts/read-png.js";

const BITS = { down: 2, a: 16, select: 512 } as const;
/** What it is on. */
const CURSOR = hexOf(HIGHLIGHT);
/** Rows of pixels: of the first and the last setting, and of a question's second answer. */
const WIFI_ROW = 52;
const RESET_ROW = 268;
const SECOND_ANSWER_ROW = 238;

test("A factory reset that is chosen on the console restarts it, and leaves nothing of the user's", async () => {
  const console = await startAppConsole({ flags: ["--config", "CONFIG_SVC_HOME_REMOTE=on"] });
  /** Whether the cursor is on a row of pixels. */
  const isOn = async (row: number) => {
    const answer = await fetch(`${console.http}/api/screen`);
    const { rgb, width } = readPng(Buffer.from(await answer.arrayBuffer()));
    return rgb.subarray(3 * (row * width + 20), 3 * (row * width + 21)).toString("hex") === CURSOR;
  };
  const hold = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });
  /** Holds a button until the cursor is, or is no more, on a row: it repeats, so the cursor may go on before it is released. */
  const press = async (button: keyof typeof BITS, row: number, isThere = true) => {
    do {
      await hold(BITS[button]);
      await expect.poll(() => isOn(row), { interval: 10 }).toBe(isThere);
      await hold(0);
    } while ((await isOn(row)) !== isThere);
  };
  await askHttp(`${console.http}/api/hub?url=http://192.0.2.1`, { method: "POST" });
  await press("select", WIFI_ROW);
  await press("down", RESET_ROW);
  await press("a", RESET_ROW, false);
  await press("down", SECOND_ANSWER_ROW);
  await press("a", SECOND_ANSWER_ROW, false);
  await press("down", SECOND_ANSWER_ROW);
  const from = console.stderr.length;
  await hold(BITS.a);
  await console.waitForLine(/reset to factory settings/, from);
  await console.waitForLine(/is ready/, from);
  await expect
    .poll(() => getJson(`${console.http}/api/hub`).catch(() => undefined))
    .toMatchObject({ url: "" });
  expect(console.stderr.filter((line) => /reset reason is (crash|watchdog)/.test(line))).toEqual([]);
  expect(await console.stop()).toBe(0);
});
