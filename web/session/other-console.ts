/** Views of a session outlast their panels and the link: state of one console must not appear as another one's. */
import { effect } from "@preact/signals";
import type { Session } from "./session.js";

/** @param onOther called each time that the session's console is another one than before */
export function watchForOther(session: Pick<Session, "mac">, onOther: () => void): void {
  let last = session.mac.peek();
  effect(() => {
    const mac = session.mac.value;
    if (mac === last) return;
    const isFirst = last === undefined;
    last = mac;
    if (!isFirst) onOther();
  });
}
