/** The serial ports of the browser: those that somebody has chosen for this page before, and the one chosen now. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { DeviceError } from "../../device-client/device-error.js";
import type { SerialStream } from "../../device-client/serial-stream.js";
import { type BrowserSerial, type BrowserSerialPort, openSerialPort } from "./web-serial.js";

export interface SerialPortsOptions {
  /** A port that this page may open has come. */
  readonly onPlugged?: () => void;
}

export class SerialPorts {
  readonly #ports = signal<readonly BrowserSerialPort[]>([]);
  readonly #names = signal<readonly string[]>([]);

  constructor({ onPlugged }: SerialPortsOptions = {}) {
    const serial = browserSerial();
    if (serial === undefined) return;
    serial.addEventListener("connect", async () => {
      await this.#update();
      onPlugged?.();
    });
    serial.addEventListener("disconnect", () => void this.#update());
    void this.#update();
  }

  /** As people tell them apart: `USB 303a:1001`. */
  get names(): ReadonlySignal<readonly string[]> {
    return this.#names;
  }

  /** @throws {DeviceError} `serial_unsupported`, `port_not_chosen`; it must be called from a click */
  async choose(): Promise<BrowserSerialPort> {
    const serial = browserSerial();
    if (serial === undefined)
      throw new DeviceError("serial_unsupported", "This browser opens no serial ports");
    try {
      return await serial.requestPort();
    } catch (cause) {
      if (cause instanceof DOMException && cause.name === "NotFoundError")
        throw new DeviceError("port_not_chosen", "No port was chosen", { cause });
      throw new DeviceError("port_denied", `The browser shows no ports to this page: ${String(cause)}`, {
        cause,
      });
    } finally {
      void this.#update();
    }
  }

  /** @throws {DeviceError} `device_not_found` where it was unplugged meanwhile */
  at(index: number): BrowserSerialPort {
    const port = this.#ports.value[index];
    if (port === undefined) throw new DeviceError("device_not_found", "This port is not plugged in any more");
    return port;
  }

  /**
   * Opens the port, or the one that is in its place after the console was plugged in again.
   * @throws {DeviceError} `device_lost` while it is not plugged in, `port_denied`, `port_busy`
   */
  async open(chosen: BrowserSerialPort): Promise<SerialStream> {
    const there = (await browserSerial()?.getPorts()) ?? [];
    const port =
      there.find((other) => other === chosen) ?? there.find((other) => portName(other) === portName(chosen));
    if (port === undefined) throw new DeviceError("device_lost", "The console is not plugged in");
    return openSerialPort(port, "the serial port");
  }

  async #update(): Promise<void> {
    const ports =
      (await browserSerial()
        ?.getPorts()
        .catch(() => [])) ?? [];
    this.#ports.value = ports;
    this.#names.value = ports.map(portName);
  }
}

/** Looked up each time: it is where a test puts its own. */
export function browserSerial(): BrowserSerial | undefined {
  return (navigator as { serial?: BrowserSerial }).serial;
}

function portName(port: BrowserSerialPort): string {
  const { usbVendorId, usbProductId } = port.getInfo();
  if (usbVendorId === undefined) return "Serial port";
  return `USB ${fourDigits(usbVendorId)}:${fourDigits(usbProductId ?? 0)}`;
}

function fourDigits(value: number): string {
  return value.toString(16).padStart(4, "0");
}
