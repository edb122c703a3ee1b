/** Opens a console by its address: `usb:/dev/ttyACM0`, `http://192.168.1.20:8080`, `console-1a2b.local`. */
import { consoleOrigin, HttpTransport, UsbTransport } from "./device-client.js";

/** @typedef {import("../transport.ts").Transport} Transport */

const USB = "usb:";

/**
 * Loads what it needs, since either takes as long to load as a command to run. Opens the port, or nothing yet where HTTP needs no connection. Whether there is a console, `Device.identify` finds out.
 *
 * @param {string} address `usb:PATH`, a path, `http://…`, or a host with or without a port
 * @param {{ readonly token?: string | undefined }} [options] for consoles in the network that ask for a token
 * @returns {Promise<Transport>} the caller's to close
 * @throws {import("../device-error.ts").DeviceError}
 *   `port_busy`, `port_denied`, `device_not_found`
 */
export async function openTransport(address, { token } = {}) {
  const path = serialPath(address);
  if (path !== undefined) {
    const { openSerialPort } = await import("./serial-port.js");
    return new UsbTransport(await openSerialPort(path));
  }
  const { NodeHttpPort } = await import("./http-port.js");
  return new HttpTransport({ address: consoleOrigin(address), port: new NodeHttpPort(), token });
}

/**
 * @param {string} address
 * @returns {string | undefined} `undefined` for an address in the network
 */
export function serialPath(address) {
  if (address.startsWith(USB)) return address.slice(USB.length);
  return /^(?:\.{0,2}\/|\\\\|COM\d+$)/i.test(address) ? address : undefined;
}
