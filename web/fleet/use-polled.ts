/** As `useLoaded`, and loads again every few seconds while the page is visible. */
import { useEffect } from "preact/hooks";
import { type Loaded, useLoaded } from "../hub/use-loaded.js";

/** @param load memoized with `useCallback` */
export function usePolled<Value>(load: () => Promise<Value>, everyMs: number): Loaded<Value> {
  const loaded = useLoaded(load);
  const { reload } = loaded;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs]);
  return loaded;
}
