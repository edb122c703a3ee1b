/** Announces new lines to screen readers, at the speed of speech. */
import { useEffect, useRef, useState } from "preact/hooks";
import { announcementOf, QUIET_MS } from "./log-announcer.js";
import { linesFrom } from "./log-book.js";
import type { LogView } from "./log-view.js";

export function LogAnnouncements({ view }: { view: LogView }) {
  const [text, setText] = useState("");
  const toldUpTo = useRef(view.end.peek());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const end = view.end.value;

  useEffect(() => {
    if (timer.current !== undefined || end <= toldUpTo.current) return;
    const report = () => {
      timer.current = undefined;
      const arrived = linesFrom(view.blocks.peek(), toldUpTo.current);
      toldUpTo.current = view.end.peek();
      if (arrived.length === 0) return;
      setText(announcementOf(arrived));
      timer.current = setTimeout(report, QUIET_MS);
    };
    timer.current = setTimeout(report, 300); // lines come in groups
  }, [end]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <p class="unseen" role="status" aria-label="New lines">
      {text}
    </p>
  );
}
