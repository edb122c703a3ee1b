/** Opens a console by its address: `usb:/dev/ttyACM0`, `http://192.168.1.20:8080`, `console-1a2b.local`. */
import { consoleOrigin, HttpTransport } from "../http-transport.js";
import type { Transport } from "../transport.js";
import { UsbTransport } from "../usb-transport.js";

const USB = "usb:";

/**
 * Opens the serial port, or prepares HTTP, which connects with the first request. `Device.identify` checks that a
 * console is there. Loads only the transport that it needs, since each takes as long to load as a command to run.
 * @param address `usb:PATH`, a path, `http://…`, or a host with or without a port
 * @param options for consoles in the network that require a token
 * @returns a transport that the caller closes
 * @throws {DeviceError} `port_busy`, `port_denied`, `device_not_found`
 */
export async function openTransport(
  address: string,
  { token }: { readonly token?: string | undefined } = {},
): Promise<Transport> {
  const path = serialPath(address);
  if (path !== undefined) {
    const { openSerialPort } = await import("./serial-port.js");
    return new UsbTransport(await openSerialPort(path));
  }
  const { NodeHttpPort } = await import("./http-port.js");
  return new HttpTransport({ address: consoleOrigin(address), port: new NodeHttpPort(), token });
}

/** @returns `undefined` for a network address */
export function serialPath(address: string): string | undefined {
  if (address.startsWith(USB)) return address.slice(USB.length);
  return /^(?:\.{0,2}\/|\\\\|COM\d+$)/i.test(address) ? address : undefined;
}
