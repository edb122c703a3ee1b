/** Parses network addresses of consoles, as users type them. */
import { DeviceError } from "./device-error.js";

/** HTTP port (docs/spec/http.md). */
export const HTTP_PORT = 8080;

/** Scheme, bracketed or plain host, port. */
const ADDRESS =
  /^(?:(https?):\/\/)?(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?))(?::([0-9]{1,5}))?\/?$/i;

/**
 * Converts a URL, host name or numeric address, with or without a port, to an origin such as
 * `http://192.168.1.20:8080`. If the port is missing, it is the default of the scheme, or without a scheme {@link
 * HTTP_PORT}.
 *
 * @throws {DeviceError} `device_not_found` for an invalid address
 */
export function consoleOrigin(text: string): string {
  const [, scheme, bracketed, plain, digits] = ADDRESS.exec(text.trim()) ?? [];
  const port = Number(digits ?? (scheme === undefined ? HTTP_PORT : 0));
  const host = bracketed === undefined ? plain : `[${bracketed}]`;
  if (host === undefined || port > 65535 || (digits !== undefined && port === 0))
    throw new DeviceError(
      "device_not_found",
      `"${text}" is not the address of a console, such as "http://192.168.1.20:8080" or "console-1a2b.local"`,
    );
  return new URL(`${scheme ?? "http"}://${host}${port === 0 ? "" : `:${port}`}`).origin;
}
