/** Command input. Tab completes if it can, and otherwise moves the focus on, so that keyboard users can leave it. */
import { useId } from "preact/hooks";
import { Button } from "../../parts/button.js";
import type { Terminal } from "./terminal.js";

export interface PromptProps {
  readonly terminal: Terminal;
  /** Why no command can be sent now; the typed line is kept. */
  readonly trouble: string | undefined;
}

export function Prompt({ terminal, trouble }: PromptProps) {
  const id = useId();
  const line = terminal.line.value;
  const isBusy = terminal.isBusy.value;
  return (
    <form
      class="shell-prompt"
      onSubmit={(event) => {
        event.preventDefault();
        void terminal.enter();
      }}
    >
      <label for={id}>
        <span class="unseen">Command</span>
        <span aria-hidden="true">&gt;</span>
      </label>
      <input
        id={id}
        class="mono"
        value={line}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        autocorrect="off"
        enterkeyhint="send"
        placeholder="help"
        aria-describedby="shell-keys"
        aria-busy={isBusy}
        onInput={(event) => terminal.write(event.currentTarget.value)}
        onKeyDown={(event) => onKey(event, terminal)}
      />
      {/* While the button is disabled, Enter does not submit the form either. */}
      <Button type="submit" kind="primary" busy={isBusy} disabled={trouble !== undefined}>
        {isBusy ? "Running…" : "Run"}
      </Button>
      <p class="shell-trouble small" role="status">
        {trouble}
      </p>
    </form>
  );
}

function onKey(event: KeyboardEvent, terminal: Terminal): void {
  if (isTaken(event, terminal)) event.preventDefault();
}

function isTaken(event: KeyboardEvent, terminal: Terminal): boolean {
  if (event.isComposing || event.altKey || event.metaKey) return false;
  if (event.ctrlKey) return event.key === "l" && does(() => terminal.clear());
  if (event.key === "Tab") return !event.shiftKey && terminal.complete();
  if (event.key === "ArrowUp") return does(() => terminal.goInHistory(-1));
  if (event.key === "ArrowDown") return does(() => terminal.goInHistory(1));
  if (event.key === "Escape") return does(() => terminal.write(""));
  return false;
}

function does(what: () => void): true {
  what();
  return true;
}
