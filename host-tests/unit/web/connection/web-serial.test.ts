/** A port of Web Serial as a stream of bytes, over a port that is played. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { DeviceError } from "../../../../device-client/device-error.js";
import { adviceOf } from "../../../../web/advice.js";
import { type BrowserSerialPort, openSerialPort } from "../../../../web/connection/web-serial.js";

const utf8 = (text: string) => new TextEncoder().encode(text);

/** As in the standard: a line error ends one stream and starts the next; a disconnected port has none. */
class PlayedPort implements BrowserSerialPort {
  readable: ReadableStream<Uint8Array> | null = null;
  writable: WritableStream<Uint8Array> | null = null;
  connected = true;
  refusal: Error | undefined;
  isOpen = false;
  isStuck = false;
  opened: { baudRate: number } | undefined;
  readonly written: string[] = [];
  #input: ReadableStreamDefaultController<Uint8Array> | undefined;

  async open(options: { baudRate: number }): Promise<void> {
    if (this.refusal) throw this.refusal;
    this.opened = options;
    this.isOpen = true;
    this.#renew();
    this.writable = new WritableStream({
      write: (bytes, { signal }) => {
        this.written.push(new TextDecoder().decode(bytes));
        if (this.isStuck) return new Promise((_, reject) => signal.addEventListener("abort", reject));
      },
    });
  }

  async close(): Promise<void> {
    if (this.readable?.locked || this.writable?.locked) throw new TypeError("Cannot cancel a locked stream");
    this.isOpen = false;
    this.readable = null;
    this.writable = null;
  }

  getInfo() {
    return { usbVendorId: 0x303a, usbProductId: 0x1001 };
  }

  receive(text: string): void {
    this.#input?.enqueue(utf8(text));
  }

  /** Such as a parity error. */
  stumble(): void {
    const input = this.#input;
    this.#renew();
    input?.error(new DOMException("Parity error", "ParityError"));
  }

  unplug(): void {
    const input = this.#input;
    this.readable = null;
    this.writable = null;
    input?.error(new DOMException("The device has been lost.", "NetworkError"));
  }

  #renew(): void {
    this.readable = new ReadableStream({
      start: (controller) => {
        this.#input = controller;
      },
    });
  }
}

async function opened() {
  const port = new PlayedPort();
  const stream = await openSerialPort(port, "usb:USB 303a:1001");
  const events: string[] = [];
  stream.onBytes = (bytes) => events.push(new TextDecoder().decode(bytes));
  stream.onClosed = (error) => events.push(`closed: ${(error as DeviceError | undefined)?.code}`);
  return { port, stream, events };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("bytes go both ways, at the speed of the console", async () => {
  const { port, stream, events } = await opened();
  assert.equal(port.opened?.baudRate, 115_200);
  await stream.write(utf8("ping\n"));
  port.receive("pong\n");
  await settled();
  assert.deepEqual(port.written, ["ping\n"]);
  assert.deepEqual(events, ["pong\n"]);
  await stream.close();
});

test("a line waits until the previous one is written", async () => {
  const { port, stream } = await opened();
  await Promise.all([stream.write(utf8("one\n")), stream.write(utf8("two\n"))]);
  assert.deepEqual(port.written, ["one\n", "two\n"]);
});

test("a line error loses bytes, and the port stays usable", async () => {
  const { port, stream, events } = await opened();
  port.receive("before");
  await settled();
  port.stumble();
  await settled();
  port.receive("after");
  await settled();
  assert.deepEqual(events, ["before", "after"]);
  await stream.close();
});

test("a pulled cable is reported once, and later writes fail", async () => {
  const { port, stream, events } = await opened();
  port.unplug();
  await settled();
  assert.deepEqual(events, ["closed: device_lost"]);
  await assert.rejects(stream.write(utf8("ping\n")), { code: "device_lost" });
  await stream.close();
  assert.equal(port.isOpen, false, "Else it could not be opened again");
  assert.deepEqual(events, ["closed: device_lost"]);
});

test("a closed port makes no callback, and others can open it", async () => {
  const { port, stream, events } = await opened();
  await Promise.all([stream.close(), stream.close()]);
  assert.equal(port.isOpen, false);
  assert.deepEqual(events, []);
  const again = await openSerialPort(port, "usb:again");
  await again.close();
});

test("a port can be closed while it accepts no more bytes", async () => {
  const { port, stream } = await opened();
  port.isStuck = true;
  const writing = assert.rejects(stream.write(utf8("ping\n")));
  await settled();
  await stream.close();
  await writing;
  assert.equal(port.isOpen, false);
});

const REFUSALS = [
  {
    name: "InvalidStateError",
    isConnected: true,
    code: "port_busy",
    advises: /Another program or browser tab/,
  },
  { name: "NetworkError", isConnected: true, code: "port_busy", advises: /you may lack permission/ },
  { name: "NetworkError", isConnected: false, code: "device_lost", advises: /its cable or network/ },
  { name: "SecurityError", isConnected: true, code: "port_denied", advises: /settings of this site/ },
];
for (const { name, isConnected, code, advises } of REFUSALS)
  test(`a port that is ${isConnected ? "present" : "missing"} and fails to open with ${name}: ${code}`, async () => {
    const port = new PlayedPort();
    port.connected = isConnected;
    port.refusal = new DOMException("Failed to open serial port.", name);
    await assert.rejects(openSerialPort(port, "the serial port"), (error: DeviceError) => {
      assert.ok(error instanceof DeviceError);
      assert.equal(error.code, code);
      assert.match(adviceOf(error) ?? "", advises);
      return true;
    });
  });
