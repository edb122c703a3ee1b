/** Converts Node's connection errors to errors of the connection to a console. */
import { DeviceError } from "../device-error.js";

/** There was none. */
const UNREACHABLE: Readonly<Record<string, string>> = Object.freeze({
  ECONNREFUSED: "nothing listens there",
  EHOSTUNREACH: "there is no way to it",
  ENETUNREACH: "there is no way to its network",
  EHOSTDOWN: "it is off",
  EADDRNOTAVAIL: "there is no way to it",
  ENOTFOUND: "the name is unknown",
  EAI_AGAIN: "no name server answers",
  EACCES: "this machine does not let it through",
  EPERM: "this machine does not let it through",
});

/** The messages that Node's parser refuses. */
const NOT_HTTP = "HPE_";

export function httpError(error: Error, url: string): DeviceError {
  const { origin } = new URL(url);
  const code = codeOf(error);
  const options = { cause: error };
  if (Object.hasOwn(UNREACHABLE, code))
    return new DeviceError("device_unreachable", `Cannot reach ${origin}: ${UNREACHABLE[code]}`, options);
  if (code === "ETIMEDOUT")
    return new DeviceError("device_unreachable", `Cannot reach ${origin}: nothing answers`, options);
  if (code.startsWith(NOT_HTTP))
    return new DeviceError("not_a_console", `What answers at ${origin} is not a console`, options);
  return new DeviceError("device_lost", `The connection to ${origin} broke: ${error.message}`, options);
}

/** Where several addresses were tried, what came of the first. */
function codeOf(error: Error): string {
  const { code, errors } = error as NodeJS.ErrnoException & { readonly errors?: readonly Error[] };
  const [first] = errors ?? [];
  return code ?? (first ? codeOf(first) : "");
}
