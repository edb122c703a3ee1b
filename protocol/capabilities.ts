/**
 * Capabilities of apps: the names that manifests list and the bits that the console checks on every host call
 * (`SVC_CAP_*`; one bit each, in the order of docs/spec/capabilities.md#bits, from bit 0).
 */
import { Fault } from "./fault.js";

export const CAPABILITIES = Object.freeze([
  { name: "display.write", constant: "SVC_CAP_DISPLAY_WRITE", summary: "Draw on the display." },
  {
    name: "gpio.read",
    constant: "SVC_CAP_GPIO_READ",
    summary: "Read pins, buttons, voltages, and devices on the I2C bus.",
  },
  {
    name: "gpio.write",
    constant: "SVC_CAP_GPIO_WRITE",
    summary: "Set pins, make pulses, and write to devices on the I2C bus.",
  },
  {
    name: "storage.read",
    constant: "SVC_CAP_STORAGE_READ",
    summary: "Read its own stored values, and its files on the SD card.",
  },
  {
    name: "storage.write",
    constant: "SVC_CAP_STORAGE_WRITE",
    summary: "Keep values of its own, and files on the SD card.",
  },
  { name: "network.use", constant: "SVC_CAP_NETWORK", summary: "Open network connections." },
  { name: "ble.use", constant: "SVC_CAP_BLE", summary: "Use Bluetooth." },
  { name: "app.control", constant: "SVC_CAP_APP_CONTROL", summary: "Start, stop and list apps." },
  { name: "sound.play", constant: "SVC_CAP_SOUND", summary: "Play sounds." },
] as const);

export type Capability = (typeof CAPABILITIES)[number]["name"];

/** Of the home screen, which comes with the firmware: no manifest may declare it. */
export const FIRMWARE_CAPABILITY = "system.control";
/** Far from the others, which become more. */
const FIRMWARE_BIT = 30;

/** What a function of the app ABI can need. */
export type AbiCapability = Capability | typeof FIRMWARE_CAPABILITY;

export function isCapability(name: string): name is Capability {
  return CAPABILITIES.some((capability) => capability.name === name);
}

/** The bit of one capability. */
export function capabilityBit(name: AbiCapability): number {
  if (name === FIRMWARE_CAPABILITY) return 1 << FIRMWARE_BIT;
  return 1 << CAPABILITIES.findIndex((capability) => capability.name === name);
}

/** The bits of all `names`, combined. @throws {Fault} `manifest_invalid` for an unknown name */
export function capabilityBits(names: readonly string[]): number {
  let bits = 0;
  for (const name of names) {
    if (!isCapability(name)) throw new Fault("manifest_invalid", `There is no capability "${name}"`);
    bits |= capabilityBit(name);
  }
  return bits;
}
