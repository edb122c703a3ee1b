/** Loads something from the hub when it is first drawn, and again when its inputs change. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type UserError, userErrorOf } from "../advice.js";

export interface Loaded<Value> {
  /** The newest there is, while a newer one is read too. */
  readonly value: Value | undefined;
  readonly error: UserError | undefined;
  readonly isLoading: boolean;
  /** Reads it again. */
  readonly reload: () => Promise<void>;
}

/** @param load the same function as long as the same is to be read: `useCallback` */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const [value, setValue] = useState<Value>();
  const [error, setError] = useState<UserError>();
  const [isLoading, setLoading] = useState(true);
  const turn = useRef(0);
  const reload = useCallback(async () => {
    const mine = ++turn.current; // an answer to an older question is not shown over a newer one's
    setLoading(true);
    try {
      const found = await load();
      if (mine !== turn.current) return;
      setValue(() => found);
      setError(undefined);
    } catch (cause) {
      if (mine === turn.current) setError(userErrorOf(cause));
    }
    if (mine === turn.current) setLoading(false);
  }, [load]);
  useEffect(() => {
    void reload();
    return () => {
      turn.current++;
    };
  }, [reload]);
  return { value, error, isLoading, reload };
}
