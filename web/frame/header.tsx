/** The header: the console, its transport, and the state of the link. */
import { Button } from "../parts/button.js";
import { Icon } from "../parts/icon.js";
import type { SessionState } from "../session/session.js";
import { useSession } from "../session/use-session.js";
import { switchTheme, theme } from "./theme.js";
import "./header.css";

export function Header() {
  const { state, disconnect, isAnswering } = useSession();
  const { phase } = state.value;
  const isSilent = phase === "ready" && !isAnswering.value;
  const isConnected = phase === "ready" || phase === "waiting" || phase === "connecting";
  return (
    <header class="header">
      <Mark />
      <div class="header-who">
        <h1>{nameOf(state.value)}</h1>
        <p class={`header-state header-${isSilent ? "silent" : phase}`} role="status">
          {isSilent ? "Not answering …" : stateInWords(state.value)}
        </p>
      </div>
      <div class="row header-actions">
        {isConnected && (
          <Button label="Disconnect" onClick={() => disconnect()}>
            <Icon name="eject" />
            <span class="header-word">Disconnect</span>
          </Button>
        )}
        <ThemeButton />
      </div>
    </header>
  );
}

/** The console, in twelve pixels. */
function Mark() {
  return (
    <span class="mark">
      <Icon name="screen" size={36} />
    </span>
  );
}

function ThemeButton() {
  const other = theme.value === "dark" ? "light" : "dark";
  return (
    <button type="button" class="icon-button" aria-label={`Switch to ${other} colours`} onClick={switchTheme}>
      <Icon name={other === "dark" ? "moon" : "sun"} />
    </button>
  );
}

function nameOf(state: SessionState): string {
  return state.phase === "ready" || state.phase === "waiting" ? state.system.name : "svc console";
}

function stateInWords(state: SessionState): string {
  switch (state.phase) {
    case "idle":
    case "ended":
      return "Not connected";
    case "connecting":
      return "Connecting …";
    case "ready":
      return state.device.transport.kind === "usb"
        ? "Connected by cable"
        : `Connected to ${state.device.transport.address}`;
    case "waiting":
      return "Lost; waiting for it to come back …";
  }
}
