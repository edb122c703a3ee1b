/** One app at a time advertises (docs/spec/app-abi-and-quotas.md#ble). */
import { expect, test, vi } from "vitest";
import type { AdvertisementOptions } from "../../../../device/ports/bluetooth.js";
import { Advertising } from "../../../../device/services/apps/advertising.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { emulatedApps } from "./emulated-apps.js";
import { stage } from "./staged-apps.js";

/** A radio that has one advertisement at a time, as the port says, and can refuse. */
function emulatedRadio() {
  const air: Uint8Array[] = [];
  const radio = { air, refuses: false };
  class Advertisement {
    #isClosed = false;

    constructor({ data }: AdvertisementOptions) {
      if (radio.refuses || air.length > 0 || data.length > 31) throw new Error("The radio refuses");
      air.push(data);
    }

    close() {
      if (!this.#isClosed) air.pop();
      this.#isClosed = true;
    }
  }
  const onChange = vi.fn();
  return { radio, onChange, advertising: new Advertising(Advertisement, onChange) };
}

test("The data are the flags and the complete name", () => {
  const { advertising, radio } = emulatedRadio();
  expect(advertising.mode).toBe("off");
  expect(advertising.start("tetris", "Tête")).toBe(0);
  const name = [...new TextEncoder().encode("Tête")];
  expect([...(radio.air[0] as Uint8Array)]).toEqual([2, 1, 6, 6, 9, ...name]);
  expect(advertising.mode).toBe("advertising");
});

test("A name has 1 to 26 bytes of UTF-8, which fill a packet with the flags", () => {
  const { advertising, radio } = emulatedRadio();
  for (const name of ["", "a".repeat(27), "ä".repeat(14), "a".repeat(255)])
    expect(advertising.start("tetris", name)).toBe(-22);
  expect([radio.air, advertising.mode]).toEqual([[], "off"]);
  expect(advertising.start("tetris", "ä".repeat(13))).toBe(0);
  expect(radio.air[0]).toHaveLength(31);
});

test("An app replaces its name, and another one is busy until it stops", () => {
  const { advertising, onChange, radio } = emulatedRadio();
  expect(advertising.start("tetris", "one")).toBe(0);
  expect(advertising.start("tetris", "two")).toBe(0);
  expect(advertising.start("tetris", "")).toBe(-22);
  expect(new TextDecoder().decode(radio.air[0]?.subarray(5))).toBe("two");
  expect([advertising.start("snake", "three"), advertising.stop("snake")]).toEqual([-16, -2]);
  expect([advertising.mode, onChange.mock.calls.length]).toEqual(["advertising", 1]);
  expect([advertising.stop("tetris"), advertising.stop("tetris")]).toEqual([0, -2]);
  expect([advertising.mode, onChange.mock.calls.length, radio.air]).toEqual(["off", 2, []]);
  expect(advertising.start("snake", "three")).toBe(0);
});

test("A radio that refuses is an error, leaves nothing in the air, and no app in the way of another", () => {
  const { advertising, onChange, radio } = emulatedRadio();
  radio.refuses = true;
  expect([advertising.start("tetris", "one"), advertising.mode]).toEqual([-5, "off"]);
  expect(onChange).not.toHaveBeenCalled();
  radio.refuses = false;
  advertising.start("snake", "two");
  radio.refuses = true;
  expect([advertising.start("snake", "three"), advertising.mode, radio.air]).toEqual([-5, "off", []]);
  expect(onChange).toHaveBeenCalledTimes(2);
  radio.refuses = false;
  expect(advertising.start("tetris", "one")).toBe(0);
});

test("An app stops advertising when it ends, by itself and when it is stopped", async () => {
  const { advertising, radio } = emulatedRadio();
  const storage = new EmulatedStorage();
  const { apps, guest } = emulatedApps({ storage, advertising });
  await apps.install(stage(storage));
  for (const end of [() => guest().end({ reason: "exit", code: 0 }), () => apps.stop("tetris")]) {
    apps.start("tetris");
    expect(await guest().call("ble_stop", [])).toMatchObject({ result: -2 });
    expect(await guest().call("ble_advertise", [0, 5], ["hello"])).toMatchObject({ result: 0 });
    expect(await guest().call("ble_advertise", [0, 1], [Uint8Array.of(0xff)])).toMatchObject({ result: -22 });
    expect(radio.air).toHaveLength(1);
    await end();
    await Promise.resolve();
    expect([radio.air, advertising.mode]).toEqual([[], "off"]);
  }
});
