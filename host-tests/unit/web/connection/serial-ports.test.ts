/** The serial ports of a browser that is played, with two consoles of one model. */
import { afterEach, expect, test, vi } from "vitest";
import { DeviceError } from "../../../../device-client/device-error.js";
import type { LinkState } from "../../../../device-client/link-state.js";
import { SerialPorts } from "../../../../web/connection/serial-ports.js";
import type { BrowserSerial, BrowserSerialPort } from "../../../../web/connection/web-serial.js";

class PlayedSerial implements BrowserSerial {
  there: BrowserSerialPort[] = [];
  readonly opened: string[] = [];
  readonly #listeners = new Map<string, (event: { readonly target: unknown }) => void>();

  addEventListener(type: string, listener: (event: { readonly target: unknown }) => void): void {
    this.#listeners.set(type, listener);
  }

  plug(name: string): BrowserSerialPort {
    const port: BrowserSerialPort = {
      readable: null,
      writable: null,
      open: async () => void this.opened.push(name),
      close: async () => {},
      getInfo: () => ({ usbVendorId: 0x303a, usbProductId: 0x1001 }),
    };
    this.there.push(port);
    this.#listeners.get("connect")?.({ target: port });
    return port;
  }

  unplug(port: BrowserSerialPort): void {
    this.there = this.there.filter((other) => other !== port);
    this.#listeners.get("disconnect")?.({ target: port });
  }

  async getPorts(): Promise<BrowserSerialPort[]> {
    return this.there;
  }

  async requestPort(): Promise<BrowserSerialPort> {
    return this.there[0] as BrowserSerialPort;
  }
}

const error = new DeviceError("not_a_console", "What answers there is not a console");
/** A console that is starting may send unintelligible data. */
const UNHEARD = { phase: "waiting", error } as LinkState;
const ANOTHER = { phase: "waiting", error, other: { mac: "02:00:00:00:00:02" } } as LinkState;

function played() {
  const serial = new PlayedSerial();
  vi.stubGlobal("navigator", { serial });
  return { serial, ports: new SerialPorts() };
}

afterEach(() => void vi.unstubAllGlobals());

test("A console that is plugged in again is found beside another one of its model", async () => {
  const { serial, ports } = played();
  const own = serial.plug("own");
  serial.plug("other");
  const cable = ports.cableOf(own);
  await cable.open();
  serial.unplug(own);
  await cable.open();
  cable.follow(ANOTHER);
  await expect(cable.open()).rejects.toMatchObject({
    code: "device_lost",
    message: expect.stringMatching(/another console/),
  });
  serial.plug("own again");
  await cable.open();
  expect(serial.opened).toEqual(["own", "other", "own again"]);
});

test("Ports plugged in since the page was opened come before those present from the start", async () => {
  const { serial, ports } = played();
  const own = serial.plug("own");
  serial.plug("other");
  const cable = ports.cableOf(own);
  serial.unplug(own);
  serial.plug("own again");
  await cable.open();
  expect(serial.opened).toEqual(["own again"]);
});

test("A port whose console was not recognized is opened again", async () => {
  const { serial, ports } = played();
  const cable = ports.cableOf(serial.plug("own"));
  await cable.open();
  cable.follow(UNHEARD);
  await cable.open();
  expect(serial.opened).toEqual(["own", "own"]);
});
