/** The browser's serial ports: granted to this page before, or chosen now; and the search for a console's port. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { DeviceError } from "../../device-client/device-error.js";
import type { SerialStream } from "../../device-client/host-ports.js";
import type { LinkState } from "../../device-client/link-state.js";
import { type BrowserSerial, type BrowserSerialPort, openSerialPort } from "./web-serial.js";

interface SerialPortsOptions {
  /** Called when a granted port is plugged in. */
  readonly onPlugged?: () => void;
}

/** The cable of one console. */
interface Cable {
  /**
   * Opens the port that probably leads to the console; the port may change when the cable is plugged in again.
   * @throws {DeviceError} `device_lost` while the console is not plugged in, `port_denied`, `port_busy`
   */
  open(): Promise<SerialStream>;
  /** Call with each state of the link, which shows whether the port led to the console. */
  follow(state: LinkState): void;
}

export class SerialPorts {
  readonly #ports = signal<readonly BrowserSerialPort[]>([]);
  readonly #names = signal<readonly string[]>([]);
  readonly #arrivals = new WeakMap<BrowserSerialPort, number>();
  #lastArrival = 0;

  constructor({ onPlugged }: SerialPortsOptions = {}) {
    const serial = browserSerial();
    if (serial === undefined) return;
    serial.addEventListener("connect", async ({ target }) => {
      this.#lastArrival += 1;
      this.#arrivals.set(target as BrowserSerialPort, this.#lastArrival);
      await this.#update();
      onPlugged?.();
    });
    serial.addEventListener("disconnect", () => void this.#update());
    void this.#update();
  }

  /** Names for users: `USB 303a:1001`. */
  get names(): ReadonlySignal<readonly string[]> {
    return this.#names;
  }

  /** Must be called from a click. @throws {DeviceError} `serial_unsupported`, `port_not_chosen` */
  async choose(): Promise<BrowserSerialPort> {
    const serial = browserSerial();
    if (serial === undefined)
      throw new DeviceError("serial_unsupported", "This browser has no access to serial ports");
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

  /** @throws {DeviceError} `device_not_found` if the port was unplugged */
  at(index: number): BrowserSerialPort {
    const port = this.#ports.value[index];
    if (port === undefined) throw new DeviceError("device_not_found", "The port is no longer plugged in");
    return port;
  }

  /** @param chosen port of the console */
  cableOf(chosen: BrowserSerialPort): Cable {
    const search = new PortSearch(chosen);
    return {
      open: async () => {
        const alike = (await this.#granted()).filter((port) => portName(port) === portName(chosen));
        const there = alike.map((port) => ({ port, arrival: this.#arrivals.get(port) ?? 0 }));
        const port = search.next(there);
        if (port) return openSerialPort(port, "the serial port");
        const instead = there.length > 0 ? ": another console is plugged in" : "";
        throw new DeviceError("device_lost", `The console is not plugged in${instead}`);
      },
      follow: (state) => {
        if (state.phase === "ready") search.found();
        if (state.phase === "waiting" && state.other) search.refused();
      },
    };
  }

  async #update(): Promise<void> {
    const ports = await this.#granted().catch(() => []);
    this.#ports.value = ports;
    this.#names.value = ports.map(portName);
  }

  async #granted(): Promise<readonly BrowserSerialPort[]> {
    return (await browserSerial()?.getPorts()) ?? [];
  }
}

/** Looked up on each call, so that tests can replace it. */
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

interface PluggedPort<Port> {
  readonly port: Port;
  /** Increases with each plugged-in port: the same port, plugged in again, may lead to another device. */
  readonly arrival: number;
}

/**
 * Searches for a console that was at one port and has been lost. It may return at another port, and other consoles of
 * its model look identical until their port is open: only then does the console identify itself.
 */
export class PortSearch<Port> {
  #own: Port;
  #latest: PluggedPort<Port> | undefined;
  /** Ports opened since the loss, the latest last. */
  #tried: readonly PluggedPort<Port>[] = [];
  /** Ports of other devices, until they are unplugged: opening them would only disturb the programs that use them. */
  #others: readonly PluggedPort<Port>[] = [];

  /** @param own present or last port of the console */
  constructor(own: Port) {
    this.#own = own;
  }

  /**
   * Chooses the port to open: the console's own; else the latest untried port; else the one tried longest ago.
   * @param there candidate ports
   * @returns `undefined` without a candidate
   */
  next(there: readonly PluggedPort<Port>[]): Port | undefined {
    const possible = there.filter((plugged) => placeIn(this.#others, plugged) < 0);
    const own = possible.find(({ port }) => port === this.#own);
    const [first] = possible.sort(
      (one, other) => placeIn(this.#tried, one) - placeIn(this.#tried, other) || other.arrival - one.arrival,
    );
    this.#latest = own ?? first;
    if (this.#latest) this.#tried = [...without(this.#tried, this.#latest), this.#latest];
    return this.#latest?.port;
  }

  /** Call if the port opened last leads to the console. */
  found(): void {
    this.#own = this.#latest?.port ?? this.#own;
    this.#tried = [];
  }

  /** Call if it leads to another console. */
  refused(): void {
    if (this.#latest) this.#others = [...without(this.#others, this.#latest), this.#latest];
  }
}

function placeIn<Port>(list: readonly PluggedPort<Port>[], { port, arrival }: PluggedPort<Port>): number {
  return list.findIndex((listed) => listed.port === port && listed.arrival === arrival);
}

function without<Port>(list: readonly PluggedPort<Port>[], { port }: PluggedPort<Port>) {
  return list.filter((listed) => listed.port !== port);
}
