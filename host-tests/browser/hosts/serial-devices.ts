/** Devices at the other end of a page's serial cable: a simulated console, or another kind of device. */
import { SerialPort } from "serialport";

/** A device that can be plugged in. Bytes are passed on unchanged. */
export interface SerialDevice {
  /** @throws {Error} if it cannot be opened, for example while another program has it open */
  open(receive: (bytes: Uint8Array) => void): Promise<SerialConnection>;
}

export interface SerialConnection {
  write(bytes: Uint8Array): Promise<void>;
  /** Settles once the other end has seen the disconnect. */
  close(): Promise<void>;
}

/** Returns a simulated console's USB port as a device. @param usb link to its pseudo-terminal */
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

/** Returns a device that answers each received piece with the result of `answer`; `undefined`: no answer. */
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

/** Answers every input with an error, as a modem answers an unknown command. */
export const modem = deviceThat(() => "\r\nERROR\r\n");

export const busyDevice: SerialDevice = {
  open: () => Promise.reject(new Error("Another program has it open")),
};
