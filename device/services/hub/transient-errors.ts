/** Whether a command that has failed may be carried out later: then it has no result yet, and stays with the hub. */
import { Fault, type FaultCode } from "../../../protocol/fault.js";
import { DOUBTFUL_TRIES } from "./limits.js";

/** Failures of the network, or another client that came first. They pass, however long that takes. */
const PASSING: readonly FaultCode[] = Object.freeze([
  "hub_unreachable",
  "upload_busy",
  "confirm_pending",
  "busy",
  "request_timeout",
  "too_many_attempts",
] satisfies FaultCode[]);

/** What may go by, and may as well be there for good. */
const DOUBTFUL: readonly FaultCode[] = Object.freeze([
  "hub_refused",
  "download_failed",
  "unauthorized",
  "internal_error",
  "out_of_memory",
] satisfies FaultCode[]);

/** @param tries how often it had failed before */
export function isTransient(error: unknown, tries: number): boolean {
  if (!(error instanceof Fault)) return false;
  return PASSING.includes(error.code) || (DOUBTFUL.includes(error.code) && tries + 1 < DOUBTFUL_TRIES);
}
