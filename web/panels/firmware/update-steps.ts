/** Maps the phase of an update to four steps, and describes the result of the last update. */
import type { LastResult, OtaStatus } from "../../../protocol/device/answers.js";

export const UPDATE_STEPS = Object.freeze(["received", "staged", "trial", "confirmed"] as const);
export type UpdateStep = (typeof UPDATE_STEPS)[number];

export type StepState = "done" | "current" | "ahead";

export type UpdatePhase = OtaStatus["state"];

/** The state of each step, in order, during an update. */
export function stepStates(phase: Exclude<UpdatePhase, "idle">): readonly StepState[] {
  switch (phase) {
    case "receiving":
      return ["current", "ahead", "ahead", "ahead"];
    case "staged":
      return ["done", "current", "ahead", "ahead"];
    case "pending_confirm":
      return ["done", "done", "current", "ahead"];
    default:
      return phase satisfies never;
  }
}

export interface DescribedResult {
  readonly isGood: boolean;
  readonly text: string;
  /** The error code to look up. */
  readonly code: string | undefined;
}

/** Describes how the last update ended. */
export function describeResult(
  { result, error, message, version }: LastResult,
  running: string,
): DescribedResult {
  const name = version === undefined ? "The firmware" : `Firmware ${version}`;
  const why = message === undefined ? "" : `: ${message}`;
  switch (result) {
    case "confirmed":
      return { isGood: true, code: undefined, text: `${name} was tried and confirmed.` };
    case "rolled_back":
      return {
        isGood: false,
        code: error,
        text: `${message ?? `${name} failed its trial`}. The console went back to ${running}.`,
      };
    case "rejected":
      return { isGood: false, code: error, text: `${name} was refused${why}.` };
    default:
      return result satisfies never;
  }
}
