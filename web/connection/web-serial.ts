/**
 * A port of the browser's Web Serial as a stream of bytes. The types cover only what is used of the standard
 * (https://wicg.github.io/serial/), so that `navigator.serial` satisfies them, and a test can pass its own.
 */
import { DeviceError } from "../../device-client/device-error.js";
import type { SerialStream } from "../../device-client/host-ports.js";

export interface BrowserSerialPort {
  readonly readable: ReadableStream<Uint8Array> | null;
  readonly writable: WritableStream<Uint8Array> | null;
  /** Whether the port is plugged in; absent in older browsers. */
  readonly connected?: boolean;
  open(options: { baudRate: number; bufferSize?: number }): Promise<void>;
  close(): Promise<void>;
  getInfo(): { usbVendorId?: number; usbProductId?: number };
  setSignals?(signals: { dataTerminalReady?: boolean }): Promise<void>;
}

export interface BrowserSerial {
  requestPort(): Promise<BrowserSerialPort>;
  getPorts(): Promise<BrowserSerialPort[]>;
  addEventListener(
    type: "connect" | "disconnect",
    listener: (event: { readonly target: unknown }) => void,
  ): void;
}

/** Speed of the port (docs/spec/usb.md#speed). */
const BAUD_RATE = 115_200;
/** The standard's default of 255 bytes would interrupt reading within every log line. */
const BUFFER_BYTES = 16_384;

/** @throws {DeviceError} `device_lost` if unplugged, `port_denied`, `port_busy` */
export async function openSerialPort(port: BrowserSerialPort, address: string): Promise<SerialStream> {
  try {
    await port.open({ baudRate: BAUD_RATE, bufferSize: BUFFER_BYTES });
  } catch (cause) {
    throw openFailure(port, cause);
  }
  // The console listens while DTR is set, which not every system does by itself; some ports have no DTR.
  await port.setSignals?.({ dataTerminalReady: true }).catch(() => {});
  return new WebSerialStream(port, address);
}

/**
 * A port in use by another program and a port that the system blocks both give `NetworkError`, with the same message.
 */
function openFailure({ connected }: BrowserSerialPort, cause: unknown): DeviceError {
  const name = cause instanceof DOMException ? cause.name : undefined;
  if (connected === false || name === "NotFoundError")
    return new DeviceError("device_lost", "The console is no longer plugged in", { cause });
  if (name === "SecurityError" || name === "NotAllowedError")
    return new DeviceError("port_denied", "The browser does not let this page open serial ports", { cause });
  if (name === "InvalidStateError")
    return new DeviceError("port_busy", "This page has the port open already", { cause });
  return new DeviceError("port_busy", `The browser cannot open the port: ${textOf(cause)}`, { cause });
}

class WebSerialStream implements SerialStream {
  readonly address: string;
  onBytes: SerialStream["onBytes"] = () => {};
  onClosed: SerialStream["onClosed"] = () => {};
  readonly #port: BrowserSerialPort;
  readonly #reading: Promise<void>;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #written: Promise<void> = Promise.resolve();
  #isClosing = false;
  #closed: Promise<void> | undefined;

  constructor(port: BrowserSerialPort, address: string) {
    this.#port = port;
    this.address = address;
    this.#reading = this.#readToItsEnd();
  }

  /** Serializes writes: an answer may arrive before the browser reports the previous write as complete. */
  write(bytes: Uint8Array): Promise<void> {
    this.#written = this.#written.catch(() => {}).then(() => this.#writeNow(bytes));
    return this.#written;
  }

  async #writeNow(bytes: Uint8Array): Promise<void> {
    const writable = this.#port.writable;
    if (this.#isClosing || writable === null) throw new DeviceError("device_lost", "The port is closed");
    this.#writer = writable.getWriter();
    try {
      await this.#writer.write(bytes);
    } finally {
      this.#writer.releaseLock();
      this.#writer = undefined;
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    // Both fail on an unplugged port, which is harmless.
    await this.#writer?.abort().catch(() => {});
    await this.#reader?.cancel().catch(() => {});
    await this.#reading;
    await this.#port.close().catch(() => {});
  }

  /** A line error (a break, a parity error) ends the stream, and the port provides a new one unless it is unplugged. */
  async #readToItsEnd(): Promise<void> {
    let failure: unknown;
    while (this.#port.readable !== null && !this.#isClosing) {
      this.#reader = this.#port.readable.getReader();
      try {
        await this.#readStream(this.#reader);
      } catch (error) {
        failure = error;
      } finally {
        this.#reader.releaseLock();
        this.#reader = undefined;
      }
    }
    if (!this.#isClosing)
      this.onClosed(new DeviceError("device_lost", lostMessage(failure), { cause: failure }));
  }

  async #readStream(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      this.onBytes(value);
    }
  }
}

function lostMessage(failure: unknown): string {
  return failure === undefined ? "The port was closed" : `The port was lost: ${textOf(failure)}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
}
