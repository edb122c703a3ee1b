/** Why a program that was started to compile an app has failed. */
import { shownText } from "../../../tools/shown-text.js";

/** What `execFile` rejects with. */
export interface ProgramFailure extends Error {
  /** The exit status, or that of the system if the program could not be started. */
  readonly code?: number | string | null;
  readonly signal?: NodeJS.Signals | null;
  readonly stderr?: string;
}

/** The computer can start no program now, whatever the app. */
const SHORT_OF_RESOURCES: readonly unknown[] = Object.freeze(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"]);

/**
 * @returns what the program has said, or how it has ended: the message of the error has its whole command line
 * @throws {ProgramFailure} itself, if the computer had nothing left to start the program with
 */
export function saidBy(program: string, error: ProgramFailure): string {
  if (SHORT_OF_RESOURCES.includes(error.code)) throw error;
  const said = shownText(error.stderr ?? "");
  return said.trim() ? said : `${program} ended with ${error.signal ?? error.code}`;
}
