/** What the connected console answers to a request, again every few seconds: for changes that it sends no event for. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Device } from "../../device-client/device.js";
import { useSession } from "./session.js";

export interface Polled<Answer> {
  /** The newest answer of the present console; `undefined` until its first one, and with firmware that has none. */
  readonly value: Answer | undefined;
  /** Takes the answer of another request in its place. */
  readonly set: (value: Answer) => void;
  readonly read: () => Promise<void>;
}

interface Known<Answer> {
  /** MAC of the console. */
  readonly of: string | undefined;
  readonly value: Answer;
}

/**
 * Polls while the page is visible and sends nothing else.
 * @param device nothing is asked while there is none
 * @param ask the same function in each rendering
 * @param again asks at once when it changes
 */
export function usePolled<Answer>(
  device: Device | undefined,
  ask: (device: Device) => Promise<Answer>,
  periodMs: number,
  again?: unknown,
): Polled<Answer> {
  const session = useSession();
  const mac = session.mac.value;
  const [known, setKnown] = useState<Known<Answer>>();
  const set = useCallback((value: Answer) => setKnown({ of: mac, value }), [mac]);
  const read = useCallback(async () => {
    if (!device || document.visibilityState !== "visible" || session.isUploading.peek()) return;
    const answer = await ask(device).catch(() => undefined); // the link detects a lost console
    if (answer !== undefined) set(answer);
  }, [ask, device, session, set]);
  useEffect(() => {
    void read();
    const timer = setInterval(read, periodMs);
    return () => clearInterval(timer);
  }, [read, periodMs, again]);
  return { value: known && known.of === mac ? known.value : undefined, set, read };
}
