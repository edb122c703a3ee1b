/**
 * The client of consoles, loaded by the first command that needs it.
 */
import type { Transport } from "../../device-client/transport.js";

export type { Transport };

export const loadClient = () => import("../../device-client/index.js");
export const loadOpener = () => import("../../device-client/node/open-device.js");

/** @param address as `openTransport` takes it */
export async function openAddress(
  address: string,
  options: { readonly token?: string | undefined },
): Promise<Transport> {
  const { openTransport } = await loadOpener();
  return openTransport(address, options);
}

/** @param code of the client or of a console */
export async function deviceError(code: string, message: string) {
  const { DeviceError } = await loadClient();
  return new DeviceError(code, message);
}

/** @returns the code of a `DeviceError` or `Fault` */
export function codeOf(error: unknown): string | undefined {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}
