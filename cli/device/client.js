/**
 * The client of consoles, loaded by the first command that needs it: it is compiled when it is loaded, and `svc --help`
 * must not wait for that.
 */

/** @typedef {import("../../device-client/transport.ts").Transport} Transport */
/** @typedef {import("../../device-client/device.ts").Device} Device */

export const loadClient = () => import("../../device-client/node/device-client.js");
export const loadOpener = () => import("../../device-client/node/open-device.js");

/**
 * @param {string} address as `openTransport` takes it
 * @param {{ readonly token?: string | undefined }} options
 * @returns {Promise<Transport>}
 */
export async function openAddress(address, options) {
  const { openTransport } = await loadOpener();
  return openTransport(address, options);
}

/**
 * @param {string} code of the client's table of codes, or one that a console has
 * @param {string} message
 */
export async function deviceError(code, message) {
  const { DeviceError } = await loadClient();
  return new DeviceError(code, message);
}

/** @param {unknown} error @returns {string | undefined} of a DeviceError or Fault */
export function codeOf(error) {
  const { code } = /** @type {{ code?: unknown }} */ (Object(error));
  return typeof code === "string" ? code : undefined;
}
