/**
 * Serial ports through the serialport package, which also opens the simulated console's pseudo-terminal. Loaded with
 * the first port: that takes longer than a whole command over HTTP.
 */
import { once } from "node:events";
import type { SerialPort } from "serialport";
import { DeviceError } from "../device-error.js";
import type { SerialStream } from "../host-ports.js";

/** Speed of the port (docs/spec/usb.md#speed). */
const BAUD_RATE = 115_200;

/** @throws {DeviceError} `port_busy`, `port_denied`, `device_not_found` */
export async function openSerialPort(path: string): Promise<SerialStream> {
  const { SerialPort } = await import("serialport");
  const port = new SerialPort({ path, baudRate: BAUD_RATE, autoOpen: false, lock: true });
  await new Promise((resolve, reject) => {
    port.open((error) => (error ? reject(openError(error, path)) : resolve(undefined)));
  });
  return new NodeSerialStream(port, path);
}

class NodeSerialStream implements SerialStream {
  readonly address: string;
  readonly #port: SerialPort;
  #isOver = false;
  #onBytes: (bytes: Uint8Array) => void = () => {};
  onClosed: (error?: Error) => void = () => {};

  constructor(port: SerialPort, path: string) {
    this.address = `usb:${path}`;
    this.#port = port;
    port.on("error", (error) => this.#finish(error));
    port.on("close", (error: Error | null) => this.#finish(error ?? undefined));
  }

  get onBytes() {
    return this.#onBytes;
  }

  /** Bytes that arrived earlier wait in the port. */
  set onBytes(onBytes) {
    this.#onBytes = onBytes;
    this.#port.removeAllListeners("data");
    this.#port.on("data", onBytes);
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#port.isOpen) return reject(new Error("The port is closed"));
      this.#port.write(Buffer.from(bytes), (error) => (error ? reject(error) : resolve(undefined)));
    }).then(() => {});
  }

  async close(): Promise<void> {
    this.#isOver = true;
    if (!this.#port.isOpen) return;
    const closed = once(this.#port, "close");
    this.#port.close();
    await closed;
  }

  #finish(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onClosed(error);
  }
}

/** @param error without a reliable code: the package does not always pass it on */
function openError(error: Error, path: string): DeviceError {
  const options = { cause: error };
  const { message } = error;
  if (/cannot lock port|EBUSY|resource temporarily unavailable|resource busy|access denied/i.test(message))
    return new DeviceError("port_busy", `Cannot open "${path}": it is in use`, options);
  if (/EACCES|EPERM|permission denied/i.test(message))
    return new DeviceError("port_denied", `Cannot open "${path}": permission denied`, options);
  if (/ENOENT|ENXIO|ENODEV|no such|file not found/i.test(message))
    return new DeviceError("device_not_found", `Cannot open "${path}": port not found`, options);
  // A file, a directory, a device of another kind.
  return new DeviceError("not_a_console", `Cannot open "${path}": it is not a serial port`, options);
}
