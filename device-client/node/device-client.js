/** The client of consoles (device-client/), compiled for programs on Node; all of them share its classes. */
import { loadTypeScript } from "../../tools/load-typescript.js";

/** @type {typeof import("../index.ts")} */
const client = await loadTypeScript(["device-client/index.ts"]);

export const {
  bodyOf,
  consoleOrigin,
  Device,
  DeviceError,
  DeviceLink,
  deviceErrorOf,
  HttpTransport,
  isDeviceError,
  UsbTransport,
} = client;
