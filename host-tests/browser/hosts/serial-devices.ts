/** Devices at the other end of a page's serial cable: a simulated console, or something else. */
import { SerialPort } from "serialport";

/** What is plugged in. Bytes are those of the wire; nothing is put into them or left out. */
export interface SerialDevice {
  /** @throws {Error} where it cannot be opened, as while another program has it open */
  open(receive: (bytes: Uint8Array) => void): Promise<SerialConnection>;
}

export interface SerialConnection {
  write(bytes: Uint8Array): Promise<void>;
  /** Settles once the other end has seen the disconnect. */
  close(): Promise<void>;
}

/** @param usb link to the pseudo-terminal of a simulated console */
export function consoleAt(usb: string): SerialDevice {
  return {
    open: async (receive) => {
      const port = new SerialPort({ path: usb, baudRate: 115200, autoOpen: false });
      await done((callback) => port.open(callback));
      port.on("data", receive);
      return {
        write: (bytes) => done((callback) => port.write(Buffer.from(bytes), undefined, callback)),
        close: async () => {
          port.off("data", receive);
          if (port.isOpen) await done((callback) => port.close(callback));
        },
      };
    },
  };
}

function done(call: (callback: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));
}

/** Says what `answer` makes of each piece that it is sent; `undefined` for nothing. */
export function deviceThat(answer: (text: string) => string | undefined): SerialDevice {
  return {
    open: async (receive) => ({
      write: async (bytes) => {
        const text = answer(Buffer.from(bytes).toString());
        if (text !== undefined) receive(Buffer.from(text));
      },
      close: async () => {},
    }),
  };
}

/** Echoes its input, as a terminal without a login does. */
export const echoingDevice = deviceThat((text) => text);

/** As a modem answers unknown input. */
export const modem = deviceThat(() => "\r\nERROR\r\n");

export const silentDevice = deviceThat(() => undefined);

export const busyDevice: SerialDevice = {
  open: () => Promise.reject(new Error("Another program has it open")),
};
