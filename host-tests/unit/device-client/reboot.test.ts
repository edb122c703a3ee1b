/** What `Device.reboot` and `Device.factoryReset` make of a console that goes before its answer is read. */
import { expect, test } from "vitest";
import { Device } from "../../../device-client/device.js";
import { DeviceError } from "../../../device-client/device-error.js";
import type { Transport } from "../../../device-client/transport.js";

const deviceThat = (request: () => Promise<never>) => new Device({ request } as unknown as Transport);

test("a console that disconnects before it answers counts as restarting", async () => {
  const device = deviceThat(() =>
    Promise.reject(new DeviceError("device_lost", "The connection was closed")),
  );
  expect(await device.reboot()).toEqual({ rebooting: true });
  expect(await device.factoryReset()).toEqual({ resetting: true });
});

test("a console that cannot be reached, or refuses, does not count as restarting", async () => {
  for (const code of ["device_unreachable", "unauthorized"] as const) {
    const device = deviceThat(() => Promise.reject(new DeviceError(code, "No")));
    await expect(device.reboot()).rejects.toMatchObject({ code });
    await expect(device.factoryReset()).rejects.toMatchObject({ code });
  }
});
