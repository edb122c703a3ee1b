/** An error as shown to the user: a sentence, and what to do about it. */
import { adviceFor } from "../advice.js";

export interface UserError {
  readonly message: string;
  readonly advice: string | undefined;
  /** The code to look up; `undefined` for a bug of this page. */
  readonly code: string | undefined;
}

/** @param error of the console (`DeviceError`), the hub (`HubError`), what was read (`Fault`), or any other */
export function userErrorOf(error: unknown): UserError {
  const { message, advice, code } = Object(error);
  if (typeof code !== "string")
    return { message: String(message ?? error), advice: undefined, code: undefined };
  return { message: String(message), advice: typeof advice === "string" ? advice : adviceFor(code), code };
}
