/** The console's USB port as a terminal program has it: bytes out, whole lines in. */
import { once } from "node:events";
import { SerialPort } from "serialport";
import { ArrivedBytes } from "./arrived-bytes.js";

export class UsbLines {
  readonly #port: SerialPort;
  readonly #arrived = new ArrivedBytes();

  /** Opens the port at its speed (docs/spec/usb.md#speed). */
  static async open(path: string): Promise<UsbLines> {
    const port = new SerialPort({ path, baudRate: 115200, autoOpen: false });
    await new Promise<void>((resolve, reject) => port.open((error) => (error ? reject(error) : resolve())));
    return new UsbLines(port);
  }

  private constructor(port: SerialPort) {
    this.#port = port;
    port.on("data", (chunk: Buffer) => this.#arrived.push(chunk));
    port.on("close", () => this.#arrived.end());
  }

  async send(bytes: Uint8Array): Promise<void> {
    this.#port.write(Buffer.from(bytes));
    await new Promise<void>((resolve) => this.#port.drain(() => resolve()));
  }

  /** The next line, with its LF. */
  async line(): Promise<string> {
    return String(
      await this.#arrived.take((bytes) => (bytes.includes("\n") ? bytes.indexOf("\n") + 1 : undefined)),
    );
  }

  async close(): Promise<void> {
    const closed = once(this.#port, "close");
    this.#port.close();
    await closed;
  }
}
