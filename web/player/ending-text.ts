/** How an app has ended, in words for the user. */
import type { AppEnding } from "./app-run.js";

export interface EndingText {
  readonly title: string;
  readonly isFailure: boolean;
  /** Functions on the stack, the innermost first. */
  readonly stack: readonly string[];
}

export function endingText(ending: AppEnding): EndingText {
  if (ending.kind === "refused")
    return { title: `The app was not started: ${ending.message}`, isFailure: true, stack: [] };
  const { reason, code = 0, message = "", stack = [] } = ending.exit;
  switch (reason) {
    case "exit":
      return { title: `The app has ended with code ${code}`, isFailure: code !== 0, stack };
    case "stopped":
      return { title: "The app was stopped", isFailure: false, stack };
    case "trap":
      return { title: `The app was ended by a trap: ${message}`, isFailure: true, stack };
    case "quota":
      return { title: `There is not enough memory for the app: ${message}`, isFailure: true, stack };
    case "host_error":
      return { title: `The player has failed: ${message}`, isFailure: true, stack };
    default:
      return reason satisfies never;
  }
}

/** In the form of a console's log: `trap: integer divide by zero in drop < step < main`. */
export function endingLine(ending: AppEnding): string {
  if (ending.kind === "refused") return `refused: ${ending.message}`;
  const { reason, code, message, stack = [] } = ending.exit;
  const result = code === undefined ? "" : ` ${code}`;
  const what = message === undefined ? "" : `: ${message}`;
  const where = stack.length > 0 ? ` in ${stack.join(" < ")}` : "";
  return `${reason}${result}${what}${where}`;
}
