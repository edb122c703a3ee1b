/**
 * Finds consoles at serial ports. Ports of obviously other devices stay closed: opening one may restart its device.
 * Ports that may lead to a console are probed with the discovery request of docs/spec/management-api.md#detection.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Transport } from "../../device-client/transport.js";
import { codeOf, loadClient, openAddress } from "./client.js";

export interface UsbConsole {
  readonly kind: "found";
  readonly address: string;
  readonly name: string;
  readonly fwVersion: string;
  /** Open; owned by the caller. */
  readonly transport: Transport;
}

/** A port that looks like a console's, but cannot be opened. */
export type ClosedPort = { kind: "closed"; address: string; error: Error };

/** USB identity of a console (device/hosts/esp32/boards/esp32s3): Espressif's vendor id, and TinyUSB's id of one CDC function. */
const VENDOR_ID = "303a";
const PRODUCT_ID = "4001";
const MANUFACTURER = "SVC";

/** State directory of a simulated console, with its port, in the directory where it was started. */
const SIMULATED_STATE = ".console";

/** Timeout of the identification. */
const PROBE_MS = 2000;

const CLOSED_CODES = Object.freeze(["port_busy", "port_denied"]);

/** @returns addresses of ports that may be consoles */
export async function consolePorts(): Promise<string[]> {
  const simulated = simulatedPort();
  const ports = (await serialPorts()).filter(looksLikeConsole).map((port) => `usb:${port.path}`);
  return simulated === undefined ? ports : [simulated, ...ports];
}

export function isSimulated(address: string): boolean {
  return address === simulatedPort();
}

/** @returns answers in the order of the ports; ports without a console are left out */
export async function askPorts(
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<(UsbConsole | ClosedPort)[]> {
  const answers = await Promise.all(addresses.map((address) => askPort(address, signal)));
  return answers.filter((answer) => answer !== undefined);
}

async function askPort(address: string, signal: AbortSignal): Promise<UsbConsole | ClosedPort | undefined> {
  let transport: Transport | undefined;
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
    return isClosed ? { kind: "closed", address, error: error as Error } : undefined;
  }
}

async function serialPorts() {
  try {
    const { SerialPort } = await import("serialport");
    return await SerialPort.list();
  } catch {
    return []; // systems without udev list no ports; users name the port with --device
  }
}

function looksLikeConsole({
  vendorId,
  productId,
  manufacturer,
}: Awaited<ReturnType<typeof serialPorts>>[number]): boolean {
  return vendorId?.toLowerCase() === VENDOR_ID && (productId === PRODUCT_ID || manufacturer === MANUFACTURER);
}

function simulatedPort(): string | undefined {
  const link = path.resolve(SIMULATED_STATE, "usb");
  return existsSync(link) && isRunning() ? `usb:${link}` : undefined;
}

/**
 * A killed simulator leaves its link behind, and the terminal behind the link may belong to another program by now. A
 * running simulator holds a lock, which Linux lists.
 */
function isRunning(): boolean {
  const lock = path.resolve(SIMULATED_STATE, "lock");
  if (!existsSync("/proc/locks")) return true;
  if (!existsSync(lock)) return false;
  return readFileSync("/proc/locks", "latin1").includes(`:${statSync(lock).ino} `);
}
