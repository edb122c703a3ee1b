/** The Logs panel: the live log of the console and its apps, including the previous run. */
import { fileName, saveFile } from "../../copy-and-save.js";
import { Button } from "../../parts/button.js";
import { Panel } from "../../parts/panel.js";
import { type Session, useSession } from "../../session/session.js";
import { counted, LogList } from "./log-list.js";
import { LogTools } from "./log-tools.js";
import { type LogView, logViewOf } from "./log-view.js";
import "./logs.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { announcementOf, QUIET_MS } from "./log-announcer.js";
import { linesFrom } from "./log-book.js";

export function LogsPanel() {
  const session = useSession();
  const view = logViewOf(session);
  return (
    <Panel title="Logs" toolbar={<Toolbar session={session} view={view} />}>
      <LogTools view={view} />
      <LogList view={view} />
      <p class="log-state small muted">{stateOf(view)}</p>
      <LogAnnouncements view={view} />
    </Panel>
  );
}

function Toolbar({ session, view }: { session: Session; view: LogView }) {
  const isPaused = view.isPaused.value;
  const hasNone = view.lineCount.value === 0;
  return (
    <>
      <Button onClick={() => view.pauseOrResume()}>{isPaused ? "Resume" : "Pause"}</Button>
      <Button onClick={() => view.clear()}>Clear</Button>
      <Button disabled={hasNone} onClick={() => save(session, view)}>
        Save
      </Button>
    </>
  );
}

function stateOf(view: LogView): string {
  const shown = `${counted(view.lineCount.value, "line")} shown`;
  if (!view.isPaused.value) return shown;
  return `${shown} · paused, ${counted(view.waitingCount.value, "line")} came since`;
}

function save(session: Session, view: LogView): void {
  const state = session.state.peek();
  const name = "system" in state ? state.system.name : "console";
  saveFile(fileName(name, "log", "txt"), [view.text()], "text/plain;charset=utf-8");
}

/** Announces new lines to screen readers, at the speed of speech. */
function LogAnnouncements({ view }: { view: LogView }) {
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
    timer.current = setTimeout(report, 300); // collects lines that arrive together
  }, [end]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <p class="unseen" role="status" aria-label="New lines">
      {text}
    </p>
  );
}
