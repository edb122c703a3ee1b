/** One installed app, with its actions. */
import { useEffect, useState } from "preact/hooks";
import type { AppEntry, LastExit } from "../../../protocol/device/answers.js";
import { formatBytes, formatDuration } from "../../format.js";
import { BitmapIcon, CapabilityList } from "../../install/plan-view.js";
import { Button } from "../../parts/button.js";
import { Confirm } from "../../parts/dialog.js";
import { Fact, Facts, Tag } from "../../parts/facts.js";
import { Check } from "../../parts/field.js";
import { Note } from "../../parts/messages.js";
import { useSession } from "../../session/session.js";
import { describeExit, describeState, isOfEarlierRun } from "./app-entries.js";

interface AppCardProps {
  readonly app: AppEntry;
  /** A BMP; `undefined` until it has arrived, and for an app without an icon. */
  readonly icon: Uint8Array | undefined;
}

export function AppCard({ app, icon }: AppCardProps) {
  const { name, version, description, author, last_exit } = app;
  const isRunning = app.state === "running";
  const { text, tone } = describeState(app);
  return (
    <li class="card app" aria-label={name} data-item={name}>
      <div class="app-head">
        <BitmapIcon bitmap={app.icon && icon} size={32} />
        <div class="app-title">
          <h3 tabIndex={-1}>{name}</h3>
          <span class="muted">{version}</span>
          <Tag tone={tone}>{text}</Tag>
        </div>
      </div>
      {description && <p>{description}</p>}
      {author && <p class="small muted">by {author}</p>}
      <AppFacts app={app} />
      <CapabilityList names={app.capabilities} />
      {last_exit && !isRunning && <ExitNote exit={last_exit} />}
      <BackgroundChoice app={app} />
      <AppActions app={app} />
    </li>
  );
}

/** Whether the app goes on behind others (docs/spec/apps.md#background). Shows the choice while it is being sent. */
function BackgroundChoice({ app }: { app: AppEntry }) {
  const session = useSession();
  const { name, background = false } = app;
  const [chosen, setChosen] = useState<boolean>();
  useEffect(() => setChosen(undefined), [app]);
  const choose = async (isAllowed: boolean) => {
    setChosen(isAllowed);
    const what = isAllowed ? `let ${name} run in the background` : `keep ${name} out of the background`;
    if (!(await session.run(what, (device) => device.background(name, isAllowed)))) setChosen(undefined);
  };
  return (
    <Check
      text="Runs in background"
      label={`Runs in background: ${name}`}
      checked={chosen ?? background}
      disabled={!session.device.value}
      onChange={choose}
    />
  );
}

type Action = "switch" | "front" | "uninstall";

function AppActions({ app }: { app: AppEntry }) {
  const { name } = app;
  const isRunning = app.state === "running";
  const session = useSession();
  const [busy, setBusy] = useState<Action>();
  const [isAsking, setAsking] = useState(false);
  const isAway = !session.device.value;
  const act = async (what: Action, work: () => Promise<unknown>) => {
    setBusy(what);
    await work();
    setBusy(undefined);
  };
  const change = () =>
    isRunning
      ? session.run(`stop ${name}`, (device) => device.stop(name))
      : session.run(`start ${name}`, (device) => device.start(name));
  const bringToFront = () => session.run(`bring ${name} to the front`, (device) => device.front(name));
  const uninstall = async () => {
    const done = await session.run(`uninstall ${name}`, (device) => device.uninstall(name));
    if (done) session.notify({ kind: "done", text: `${name} is uninstalled` });
  };
  const verb = isRunning ? "Stop" : "Start";
  return (
    <div class="row">
      <Button
        label={`${verb} ${name}`}
        busy={busy === "switch"}
        disabled={isAway}
        onClick={() => act("switch", change)}
      >
        {busy === "switch" ? BUSY[verb] : verb}
      </Button>
      {isRunning && !app.foreground && (
        <Button
          label={`Bring to front: ${name}`}
          busy={busy === "front"}
          disabled={isAway}
          onClick={() => act("front", bringToFront)}
        >
          Bring to front
        </Button>
      )}
      <Button
        kind="quiet"
        label={`Uninstall ${name}`}
        busy={busy === "uninstall"}
        disabled={isAway}
        onClick={() => setAsking(true)}
      >
        {busy === "uninstall" ? "Uninstalling…" : "Uninstall"}
      </Button>
      {isAsking && (
        <Confirm
          title={`Uninstall ${name}?`}
          action="Uninstall"
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            void act("uninstall", uninstall);
          }}
        >
          <p>
            {isRunning ? "It is stopped, and removed" : "It is removed"} with everything that it has stored.
          </p>
        </Confirm>
      )}
    </div>
  );
}

const BUSY = Object.freeze({ Start: "Starting…", Stop: "Stopping…" });

function AppFacts({ app }: { app: AppEntry }) {
  const { size_bytes, memory_quota, variants } = app;
  return (
    <Facts>
      <Fact name="Size">{formatBytes(size_bytes)}</Fact>
      <Fact name="Memory">up to {formatBytes(memory_quota)}</Fact>
      <Fact name="Machine code">{variants.length > 0 ? machineCode(app) : undefined}</Fact>
    </Facts>
  );
}

function machineCode({ engine, variants }: AppEntry): string {
  const kinds = variants.join(", ");
  if (!engine) return kinds;
  return engine === "aot" ? `${kinds}, in use` : `${kinds}, not in use`;
}

function ExitNote({ exit }: { exit: LastExit }) {
  const { text, isFault } = describeExit(exit);
  const uptimeMs = useSession().status.value?.uptime_ms ?? Number.POSITIVE_INFINITY;
  const when = isOfEarlierRun(exit, uptimeMs)
    ? "in an earlier run of the console"
    : `${formatDuration(exit.at_ms)} after the console had started`;
  return (
    <Note tone={isFault ? "bad" : "quiet"}>
      {text} <span class="muted">— {when}</span>
    </Note>
  );
}
