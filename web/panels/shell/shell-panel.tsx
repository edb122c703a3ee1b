/** The Shell panel: sends command lines to the console, and shows their output. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { copyText } from "../../copy-and-save.js";
import { Button } from "../../parts/button.js";
import { Empty } from "../../parts/messages.js";
import { Panel } from "../../parts/panel.js";
import { type Session, useSession } from "../../session/session.js";
import { Prompt } from "./prompt.js";
import { type Terminal, terminalOf, textOf } from "./terminal.js";
import "./shell.css";

export function ShellPanel() {
  const session = useSession();
  const terminal = terminalOf(session);
  if (terminal.isDisabled.value)
    return (
      <Panel title="Shell">
        <Disabled />
      </Panel>
    );
  return (
    <Panel title="Shell" toolbar={<Toolbar session={session} terminal={terminal} />}>
      <div class="shell notched">
        <Output terminal={terminal} />
        <Prompt terminal={terminal} trouble={troubleOf(session)} />
      </div>
      <p id="shell-keys" class="small muted">
        <kbd>Tab</kbd> completes · <kbd>↑</kbd> <kbd>↓</kbd> commands before · <kbd>Esc</kbd> empties the line
        · <kbd>Ctrl</kbd> <kbd>L</kbd> clears
      </p>
      <CommandLearner session={session} terminal={terminal} />
    </Panel>
  );
}

/** Why no command can be sent now; `undefined` if one can. */
function troubleOf({ device, isAnswering }: Session): string | undefined {
  if (!device.value) return "The connection to the console is lost. Commands run again once it is back.";
  return isAnswering.value ? undefined : "The console is not answering. Commands run again once it does.";
}

function Disabled() {
  return (
    <Empty icon="shell" title="This console does not run commands over the network">
      <p>
        Its firmware was built with <code>CONFIG_SVC_SHELL_WEB_CMD_ENABLE=off</code>. Firmware built with{" "}
        <code>on</code> has a shell; what it does is in the other panels too.
      </p>
    </Empty>
  );
}

interface Props {
  readonly session: Session;
  readonly terminal: Terminal;
}

function Toolbar({ session, terminal }: Props) {
  const isEmpty = terminal.entries.value.length === 0;
  const copy = async () => {
    const isCopied = await copyText(textOf(terminal.entries.peek()));
    if (isCopied) session.notify({ kind: "done", text: "Copied what the shell shows" });
    else
      session.notify({
        kind: "failed",
        text: "The browser did not copy it",
        advice: "Select the text, and copy it.",
      });
  };
  return (
    <>
      <Button disabled={isEmpty} onClick={() => void copy()}>
        Copy
      </Button>
      <Button onClick={() => terminal.clear()}>Clear</Button>
    </>
  );
}

function Output({ terminal }: { terminal: Terminal }) {
  const element = useRef<HTMLDivElement>(null);
  const entries = terminal.entries.value;
  useLayoutEffect(() => {
    const { current } = element;
    if (current) current.scrollTop = current.scrollHeight;
  }, [entries]);
  return (
    <div
      ref={element}
      class="shell-output"
      role="log"
      aria-label="Output of the shell"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
      tabIndex={0}
    >
      {entries.map(({ id, kind, text }) => (
        <pre key={id} class={`shell-entry shell-entry-${kind}`}>
          {text}
        </pre>
      ))}
    </div>
  );
}

/** Reads the list of commands after each connection, for completion. */
function CommandLearner({ session, terminal }: Props) {
  const device = session.device.value;
  useEffect(() => {
    if (device) void terminal.learnCommands();
  }, [device]);
  return null;
}
