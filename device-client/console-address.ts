/** Parses addresses of consoles in the network, as users type them. */
import { DeviceError } from "./device-error.js";

/** Port of HTTP (docs/spec/http.md). */
export const HTTP_PORT = 8080;

/** scheme, bracketed or plain host, port. */
const ADDRESS =
  /^(?:(https?):\/\/)?(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?))(?::([0-9]{1,5}))?\/?$/i;

/**
 * `http://192.168.1.20:8080`, from that, or a name or numeric address with or without a port. With a scheme the port is
 * the scheme's own where none is said, and without one it is the console's.
 *
 * @throws {DeviceError} `device_not_found` for what is no address
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
