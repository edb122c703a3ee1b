/** Describes how an app's last run ended. */
import type { LastExit } from "../../../protocol/device/answers.js";

export interface DescribedExit {
  readonly text: string;
  /** The app has done something that it should not. */
  readonly isFault: boolean;
}

export function describeExit({ reason, code, message }: LastExit): DescribedExit {
  const why = message === undefined ? "" : `: ${message}`;
  switch (reason) {
    case "exit":
      return { text: code ? `Ended with code ${code}` : "Ended by itself", isFault: Boolean(code) };
    case "stopped":
      return { text: "Was stopped", isFault: false };
    case "trap":
      return { text: `Crashed${why}`, isFault: true };
    case "quota":
      return { text: `Used more than it may${why}`, isFault: true };
    case "host_error":
      return { text: `Ended by an error of the console${why}`, isFault: true };
    default:
      return reason satisfies never;
  }
}

/**
 * Whether it is certain to be of a run of the console before this one: times count from the console's start, and what is
 * kept of an app outlives a restart.
 */
export function isOfEarlierRun({ at_ms }: LastExit, uptimeMs: number): boolean {
  return at_ms > uptimeMs;
}
