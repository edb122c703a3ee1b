/** Converts Node's connection errors to {@link DeviceError}s. */
import { DeviceError } from "../device-error.js";

/** Reasons why no connection could be established, by Node's code. */
const UNREACHABLE: Readonly<Record<string, string>> = Object.freeze({
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to its network",
  EHOSTDOWN: "the host is down",
  EADDRNOTAVAIL: "no route to the host",
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "the name server does not answer",
  EACCES: "blocked by this computer",
  EPERM: "blocked by this computer",
});

/** Prefix of the codes for messages that Node's parser rejects. */
const NOT_HTTP = "HPE_";

export function httpError(error: Error, url: string): DeviceError {
  const { origin } = new URL(url);
  const code = codeOf(error);
  const options = { cause: error };
  if (Object.hasOwn(UNREACHABLE, code))
    return new DeviceError("device_unreachable", `Cannot reach ${origin}: ${UNREACHABLE[code]}`, options);
  if (code === "ETIMEDOUT")
    return new DeviceError("device_unreachable", `Cannot reach ${origin}: no answer`, options);
  if (code.startsWith(NOT_HTTP))
    return new DeviceError("not_a_console", `The device at ${origin} is not a console`, options);
  return new DeviceError("device_lost", `The connection to ${origin} broke: ${error.message}`, options);
}

/** If several addresses were tried, the code for the first one. */
function codeOf(error: Error): string {
  const { code, errors } = error as NodeJS.ErrnoException & { readonly errors?: readonly Error[] };
  const [first] = errors ?? [];
  return code ?? (first ? codeOf(first) : "");
}
