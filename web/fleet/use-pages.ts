/** A hook for a long list that is read page by page, newest first: `next` of a page continues behind it. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type UserError, userErrorOf } from "../advice.js";

interface PageOf<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string | undefined;
}

export interface Pages<Entry> {
  /** `undefined` until the first page is read. */
  readonly entries: readonly Entry[] | undefined;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly error: UserError | undefined;
  readonly readOn: () => Promise<void>;
  /** Reads the first page again; the others are forgotten. */
  readonly reload: () => Promise<void>;
}

/** @param load memoized with `useCallback` */
export function usePages<Entry>(load: (after?: string) => Promise<PageOf<Entry>>): Pages<Entry> {
  const [read, setRead] = useState<PageOf<Entry>>();
  const [error, setError] = useState<UserError>();
  const [isLoading, setLoading] = useState(true);
  const turn = useRef(0);
  const ask = useCallback(
    async (before?: PageOf<Entry>) => {
      const mine = ++turn.current; // a late page must not follow another list
      setLoading(true);
      try {
        const { entries, next } = await load(before?.next);
        if (mine !== turn.current) return;
        setRead({ entries: [...(before?.entries ?? []), ...entries], next });
        setError(undefined);
      } catch (cause) {
        if (mine === turn.current) setError(userErrorOf(cause));
      }
      if (mine === turn.current) setLoading(false);
    },
    [load],
  );
  useEffect(() => {
    void ask();
    return () => {
      turn.current++;
    };
  }, [ask]);
  return {
    entries: read?.entries,
    hasMore: read?.next !== undefined,
    isLoading,
    error,
    readOn: () => ask(read),
    reload: () => ask(),
  };
}
