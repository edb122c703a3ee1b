/** A hook that loads a value when a component is first rendered, and again when `load` changes. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type UserError, userErrorOf } from "../advice.js";

export interface Loaded<Value> {
  /** The last loaded value; it stays while the next one loads. */
  readonly value: Value | undefined;
  readonly error: UserError | undefined;
  readonly isLoading: boolean;
  /** Loads the value again. */
  readonly reload: () => Promise<void>;
}

/** Whether what stands below a list keeps its place from now on: a click would miss what moves under the pointer. */
export function isAnswered({ value, error }: Pick<Loaded<unknown>, "value" | "error">): boolean {
  return value !== undefined || error !== undefined;
}

/** @param load memoized with `useCallback`: each new function starts a new load */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const [value, setValue] = useState<Value>();
  const [error, setError] = useState<UserError>();
  const [isLoading, setLoading] = useState(true);
  const turn = useRef(0);
  const reload = useCallback(async () => {
    const mine = ++turn.current; // a late result of an older load must not replace a newer one
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
