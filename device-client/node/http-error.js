/** Converts Node's connection errors to errors of the connection to a console. */
import { DeviceError } from "./device-client.js";

/** There was none. @type {Readonly<Record<string, string>>} */
const UNREACHABLE = Object.freeze({
  ECONNREFUSED: "nothing listens there",
  EHOSTUNREACH: "there is no way to it",
  ENETUNREACH: "there is no way to its network",
  EHOSTDOWN: "it is off",
  EADDRNOTAVAIL: "there is no way to it",
  ENOTFOUND: "nobody knows that name",
  EAI_AGAIN: "nobody could be asked for that name",
  EACCES: "this machine does not let it through",
  EPERM: "this machine does not let it through",
});

/** The messages that Node's parser refuses. */
const NOT_HTTP = "HPE_";

/**
 * @param {Error} error
 * @param {string} url
 */
export function httpError(error, url) {
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

/** Where several addresses were tried, what came of the first. @param {Error} error @returns {string} */
function codeOf(error) {
  const { code, errors } = /** @type {NodeJS.ErrnoException & { readonly errors?: readonly Error[] }} */ (
    error
  );
  const [first] = errors ?? [];
  return code ?? (first ? codeOf(first) : "");
}
