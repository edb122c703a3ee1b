/**
 * The part of the fake serial port that runs in the page. A single function, which Playwright sends to the page as
 * text, so it can use only types of this module. Its errors have the names and messages of Chromium's.
 */

export interface OpenAnswer {
  readonly isOpen: boolean;
}

/** What fake-serial.ts offers to the page, which passes its own id with each call: it may have been reloaded. */
interface Bindings {
  serialGranted(page: number): Promise<readonly number[]>;
  serialChoose(page: number): Promise<number | undefined>;
  serialOpen(page: number, id: number): Promise<OpenAnswer>;
  serialWrite(page: number, text: string): Promise<void>;
  serialClose(page: number): Promise<void>;
}

export function replaceSerial(): void {
  const host = window as unknown as Bindings;
  const me = Math.random(); // there is no crypto.randomUUID in pages that came over plain HTTP
  const ports = new Map<number, FakePort>();
  const lost = () => new DOMException("The device has been lost.", "NetworkError");

  class FakePort extends EventTarget {
    readonly id: number;
    readable: ReadableStream<Uint8Array> | null = null;
    writable: WritableStream<Uint8Array> | null = null;
    connected = true;
    #isOpen = false; // until it is closed, also where it has been lost
    #input: ReadableStreamDefaultController<Uint8Array> | undefined;
    #output: WritableStreamDefaultController | undefined;

    constructor(id: number) {
      super();
      this.id = id;
    }

    getInfo() {
      return {};
    }

    async open({ baudRate }: { baudRate: number }): Promise<void> {
      if (this.#isOpen) throw new DOMException("The port is already open.", "InvalidStateError");
      if (!(baudRate > 0)) throw new TypeError("Requested baud rate must be greater than zero.");
      if (!(await host.serialOpen(me, this.id)).isOpen)
        throw new DOMException("Failed to open serial port.", "NetworkError");
      this.#isOpen = true;
      this.readable = new ReadableStream<Uint8Array>({
        start: (controller) => {
          this.#input = controller;
        },
        cancel: () => {
          this.#input = undefined;
        },
      });
      this.writable = new WritableStream<Uint8Array>({
        start: (controller) => {
          this.#output = controller;
        },
        write: async (bytes) => {
          if (!this.connected) throw lost();
          await host.serialWrite(me, String.fromCharCode(...bytes));
        },
      });
    }

    async close(): Promise<void> {
      if (!this.#isOpen) throw new DOMException("The port is already closed.", "InvalidStateError");
      if (this.readable?.locked || this.writable?.locked)
        throw new TypeError("Cannot cancel a locked stream");
      this.#isOpen = false;
      this.#shut();
      if (this.connected) await host.serialClose(me);
    }

    async forget(): Promise<void> {}

    receive(bytes: Uint8Array): void {
      this.#input?.enqueue(bytes);
    }

    lose(): void {
      this.connected = false;
      const [input, output] = [this.#input, this.#output];
      this.#shut();
      input?.error(lost());
      output?.error(lost());
    }

    #shut(): void {
      this.readable = null;
      this.writable = null;
      this.#input = undefined;
      this.#output = undefined;
    }
  }

  class FakeSerial extends EventTarget {
    async getPorts(): Promise<readonly FakePort[]> {
      return (await host.serialGranted(me)).map(portOf);
    }

    async requestPort(): Promise<FakePort> {
      if (!navigator.userActivation.isActive)
        throw new DOMException(
          "Must be handling a user gesture to show a permission request.",
          "SecurityError",
        );
      const id = await host.serialChoose(me);
      if (id === undefined) throw new DOMException("No port selected by the user.", "NotFoundError");
      return portOf(id);
    }
  }

  function portOf(id: number): FakePort {
    const port = ports.get(id) ?? new FakePort(id);
    ports.set(id, port);
    return port;
  }

  const serial = new FakeSerial();
  Object.defineProperty(navigator, "serial", { value: serial, configurable: true });

  /** Of the port, and then of `navigator.serial`, to which it bubbles; its target is the port at both. */
  function announce(type: "connect" | "disconnect", port: FakePort): void {
    port.dispatchEvent(new Event(type));
    const bubbled = new Event(type, { bubbles: true });
    Object.defineProperty(bubbled, "target", { value: port });
    serial.dispatchEvent(bubbled);
  }

  const on = <Detail>(name: string, work: (detail: Detail) => void) =>
    window.addEventListener(`fake-serial-${name}`, (event) => work((event as CustomEvent<Detail>).detail));
  on<string>("received", (text) => {
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    for (const port of ports.values()) if (port.connected) port.receive(bytes);
  });
  on<number>("unplugged", (id) => {
    portOf(id).lose();
    announce("disconnect", portOf(id));
  });
  on<number>("plugged", (id) => announce("connect", portOf(id)));
}
