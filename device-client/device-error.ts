/**
 * An error of a console: reported by the console with its own code (protocol/fault.ts), or caused by the connection to
 * it, with one of the codes here.
 */

/** Codes that no console sends. Advice for users differs between `svc` and the web console: each has its own table. */
export const CLIENT_CODES = Object.freeze([
  "device_unreachable",
  "device_timeout",
  "device_lost",
  "device_ambiguous",
  "device_not_found",
  "not_a_console",
  "port_busy",
  "port_denied",
  "port_not_chosen",
  "serial_unsupported",
  "answer_invalid",
  "cancelled",
] as const);

export type ClientCode = (typeof CLIENT_CODES)[number];

export class DeviceError extends Error {
  override readonly name = "DeviceError";
  /** One of {@link CLIENT_CODES}, or the console's own code. */
  readonly code: string;
  /** Status of the console's answer; `undefined` without an answer. */
  readonly status: number | undefined;
  /** Advice for this error, if more is known than the code says. */
  readonly advice: string | undefined;

  constructor(
    code: ClientCode | (string & {}),
    message: string,
    options?: ErrorOptions & { status?: number; advice?: string },
  ) {
    super(message, options);
    this.code = code;
    this.status = options?.status;
    this.advice = options?.advice;
  }
}

/**
 * A program may hold a second copy of the class (for instance compiled at run time), so the check compares the error's
 * name and not its class.
 * @returns `error` if it is a `DeviceError`, else a new one with `code` whose cause is `error`
 */
export function deviceErrorOf(error: unknown, code: ClientCode, message: string): DeviceError {
  if (isDeviceError(error)) return error;
  return new DeviceError(code, message, { cause: error });
}

export function isDeviceError(error: unknown): error is DeviceError {
  return error instanceof DeviceError || (error instanceof Error && error.name === "DeviceError");
}
