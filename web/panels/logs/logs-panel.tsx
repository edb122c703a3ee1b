/** The log of the console, live: of its apps too, and of the run before. */
import { Button } from "../../parts/button.js";
import { Panel } from "../../parts/panel.js";
import { fileName, saveFile } from "../../save-file.js";
import type { Session } from "../../session/session.js";
import { useSession } from "../../session/use-session.js";
import { LogAnnouncements } from "./log-announcements.js";
import { counted, LogList } from "./log-list.js";
import { LogTools } from "./log-tools.js";
import { type LogView, logViewOf } from "./log-view.js";
import "./logs.css";

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
