/** A USB port whose host is the test: what it sends, how much it reads, when it connects and disconnects. */
import type { Serial, SerialOptions } from "../../../../device/ports/serial.js";

export class EmulatedUsb {
  #options: SerialOptions | undefined;
  #unread = new Uint8Array(0);
  #sent = "";
  #roomBytes: number;
  readonly #capacityBytes: number;
  #pending: number[] = [];
  readonly #decoder = new TextDecoder();

  /** @param capacityBytes how many unread bytes the port holds */
  constructor(capacityBytes = 1 << 20) {
    this.#capacityBytes = capacityBytes;
    this.#roomBytes = capacityBytes;
  }

  /** What the service is given as its port. */
  get serial(): Serial {
    const usb = this;
    return class {
      constructor(options: SerialOptions) {
        usb.#options = options;
      }
      read(into: Uint8Array) {
        if (into.length > usb.#unread.length) throw new RangeError("There is less to read");
        into.set(usb.#unread.subarray(0, into.length));
        usb.#unread = usb.#unread.slice(into.length);
      }
      write(bytes: Uint8Array) {
        if (bytes.length > usb.#roomBytes) throw new RangeError("There is less room");
        usb.#roomBytes -= bytes.length;
        usb.#pending.push(...bytes);
      }
      close() {
        usb.#options = undefined;
      }
    };
  }

  get isOpen(): boolean {
    return this.#options !== undefined;
  }

  /** Bytes that the service has not taken. */
  get unreadBytes(): number {
    return this.#unread.length;
  }

  /** The host opens the port. */
  plug(): void {
    this.#options?.onDataTerminalReady(true);
    this.#options?.onWritable(this.#roomBytes);
  }

  /** Pulls the cable: unread bytes at either end are lost. */
  unplug(): void {
    this.#unread = new Uint8Array(0);
    this.#pending = [];
    this.#sent = "";
    this.#roomBytes = this.#capacityBytes;
    this.#options?.onDataTerminalReady(false);
  }

  send(data: string | Uint8Array): void {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const unread = new Uint8Array(this.#unread.length + bytes.length);
    unread.set(this.#unread);
    unread.set(bytes, this.#unread.length);
    this.#unread = unread;
    if (bytes.length > 0) this.#options?.onReadable(unread.length);
  }

  /** The host reads at most `byteLength` bytes, and the port has that much room again. */
  take(byteLength: number): void {
    const bytes = this.#pending.splice(0, byteLength);
    this.#sent += this.#decoder.decode(Uint8Array.from(bytes), { stream: true });
    this.#roomBytes += bytes.length;
    if (bytes.length > 0) this.#options?.onWritable(this.#roomBytes);
  }

  /** The host reads all bytes. @returns the complete lines, unchanged */
  takeLines(): string[] {
    this.take(Number.POSITIVE_INFINITY);
    const lines = this.#sent.split("\n");
    this.#sent = lines.pop() as string;
    return lines;
  }

  /** The host reads everything, until nothing more comes; the messages that were complete. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check arbitrary members
  async receive(): Promise<any[]> {
    do {
      this.take(Number.POSITIVE_INFINITY);
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#pending.length > 0);
    const lines = this.#sent.split("\n");
    this.#sent = lines.pop() as string;
    return lines.map((line) => JSON.parse(line));
  }
}
