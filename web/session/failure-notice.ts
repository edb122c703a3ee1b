/** An error as a notice: what could not be done, and what to do about it. */
import { DeviceError } from "../../device-client/device-error.js";
import { adviceOf } from "../advice.js";
import type { Notice } from "./session.js";

/** @param what could not be done: "start bricks" */
export function failureNotice(what: string, error: unknown): Omit<Notice, "id"> {
  if (!(error instanceof DeviceError)) return { kind: "failed", text: `Cannot ${what}: ${String(error)}` };
  if (error.code === "cancelled") return { kind: "told", text: `Cancelled: ${what}` };
  const text = error.message.startsWith("Cannot ") ? error.message : `Cannot ${what}: ${error.message}`;
  const advice = adviceOf(error);
  return { kind: "failed", text, ...(advice !== undefined && { advice }) };
}
