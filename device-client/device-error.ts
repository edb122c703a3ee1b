/**
 * An error of a console: reported by the console with its own code (protocol/fault.ts), or caused by the connection to
 * it, with one of the codes here.
 */

/** Codes that no console sends. What to do about each depends on who is told: svc and the page have tables of their own. */
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
  /** Of {@link CLIENT_CODES}, or the console's own. */
  readonly code: string;
  /** Of the console's answer; `undefined` where there was none. */
  readonly status: number | undefined;
  /** What to do about this one, where more is known than its code says. */
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
 * Errors of programs that have the class from elsewhere (compiled at run time, say) are told by their name.
 * @returns `error` itself where it is one, else one of `code` that it is the cause of
 */
export function deviceErrorOf(error: unknown, code: ClientCode, message: string): DeviceError {
  if (isDeviceError(error)) return error;
  return new DeviceError(code, message, { cause: error });
}

export function isDeviceError(error: unknown): error is DeviceError {
  return error instanceof DeviceError || (error instanceof Error && error.name === "DeviceError");
}
