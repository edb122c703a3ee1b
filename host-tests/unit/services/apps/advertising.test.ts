/** One app at a time advertises (docs/spec/app-abi-and-quotas.md#ble). */
import { expect, test, vi } from "vitest";
import type { AdvertisementOptions } from "../../../../device/ports/bluetooth.js";
import { Advertising } from "../../../../device/services/apps/advertising.js";

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
