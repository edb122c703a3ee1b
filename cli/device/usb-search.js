/**
 * Finds consoles at serial ports. Ports of obviously other devices stay closed: opening one may restart its device.
 * Ports that may lead to a console are probed with the discovery request of docs/spec/management-api.md#detection.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { codeOf, loadClient, openAddress } from "./client.js";

/** @typedef {import("./client.js").Transport} Transport */

/**
 * @typedef {object} UsbConsole
 * @property {"found"} kind
 * @property {string} address
 * @property {string} name
 * @property {string} fwVersion
 * @property {Transport} transport open; owned by the caller
 */

/** What may well be a console, but cannot be asked. @typedef {{ kind: "closed", address: string, error: Error }} ClosedPort */

/** How TinyUSB introduces a console (device/hosts/esp32/sdkconfig): Espressif's vendor id, and one CDC function. */
const VENDOR_ID = "303a";
const PRODUCT_ID = "4001";
const MANUFACTURER = "SVC";

/** Where a simulated console has its port, below the directory in which it was started. */
const SIMULATED_STATE = ".console";

/** How long a console may take to say who it is. */
const PROBE_MS = 2000;

const CLOSED_CODES = Object.freeze(["port_busy", "port_denied"]);

/** @returns {Promise<string[]>} addresses of ports that may be consoles */
export async function consolePorts() {
  const simulated = simulatedPort();
  const ports = (await serialPorts()).filter(looksLikeConsole).map((port) => `usb:${port.path}`);
  return simulated === undefined ? ports : [simulated, ...ports];
}

/** @param {string} address */
export function isSimulated(address) {
  return address === simulatedPort();
}

/**
 * @param {readonly string[]} addresses
 * @param {AbortSignal} signal
 * @returns {Promise<(UsbConsole | ClosedPort)[]>} in that order; what turns out to be no console is left out
 */
export async function askPorts(addresses, signal) {
  const answers = await Promise.all(addresses.map((address) => askPort(address, signal)));
  return answers.filter((answer) => answer !== undefined);
}

/** @param {string} address @param {AbortSignal} signal @returns {Promise<UsbConsole | ClosedPort | undefined>} */
async function askPort(address, signal) {
  /** @type {Transport | undefined} */
  let transport;
  try {
    const { Device } = await loadClient();
    transport = await openAddress(address, {});
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
    const device = await Device.identify(transport, limit);
    const { name, firmware } = await device.system(limit);
    return { kind: "found", address: transport.address, name, fwVersion: firmware.version, transport };
  } catch (error) {
    await transport?.close();
    const isClosed = CLOSED_CODES.includes(codeOf(error) ?? "");
    return isClosed ? { kind: "closed", address, error: /** @type {Error} */ (error) } : undefined;
  }
}

async function serialPorts() {
  try {
    const { SerialPort } = await import("serialport");
    return await SerialPort.list();
  } catch {
    return []; // systems without udev list none; --device names what is there
  }
}

/** @param {Awaited<ReturnType<typeof serialPorts>>[number]} port */
function looksLikeConsole({ vendorId, productId, manufacturer }) {
  return vendorId?.toLowerCase() === VENDOR_ID && (productId === PRODUCT_ID || manufacturer === MANUFACTURER);
}

function simulatedPort() {
  const link = path.resolve(SIMULATED_STATE, "usb");
  return existsSync(link) && isRunning() ? `usb:${link}` : undefined;
}

/**
 * A killed simulator leaves its link behind, and the terminal behind the link may belong to another program by now. A
 * running simulator holds a lock, which Linux lists.
 */
function isRunning() {
  const lock = path.resolve(SIMULATED_STATE, "lock");
  if (!existsSync("/proc/locks")) return true;
  if (!existsSync(lock)) return false;
  return readFileSync("/proc/locks", "latin1").includes(`:${statSync(lock).ino} `);
}
