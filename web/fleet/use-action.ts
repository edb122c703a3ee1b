/** A hook for what a button does: busy while it works, with its error if it fails. */
import { useState } from "preact/hooks";
import { type UserError, userErrorOf } from "../advice.js";

export interface Action {
  readonly isBusy: boolean;
  readonly error: UserError | undefined;
  /** Does the work; a failure goes to `error`. */
  readonly run: (work: () => Promise<unknown>) => void;
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<UserError>();
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    await work().catch((cause: unknown) => setError(userErrorOf(cause)));
    setBusy(false);
  };
  return { isBusy, error, run: (work) => void run(work) };
}
