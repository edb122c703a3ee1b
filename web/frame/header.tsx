/**
 * The header: the console, its transport, the state of the link, and the choice of a light or dark theme. The
 * system's theme applies until the user chooses another in this browser. The page itself (index.html) also reads the
 * choice, to apply it before this script has loaded.
 */
import { Button } from "../parts/button.js";
import { Icon } from "../parts/icon.js";
import { type SessionState, useSession } from "../session/session.js";
import "./header.css";
import { computed, effect, signal } from "@preact/signals";
import { readStored, store } from "../session/stored.js";

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

type Theme = "light" | "dark";

const KEY = "svc/theme";
const darkQuery = window.matchMedia("(prefers-color-scheme: dark)");
const system = signal<Theme>(darkQuery.matches ? "dark" : "light");
const chosen = signal<Theme | undefined>(storedTheme());

const theme = computed<Theme>(() => chosen.value ?? system.value);

darkQuery.addEventListener("change", ({ matches }) => {
  system.value = matches ? "dark" : "light";
});
effect(() => {
  const { dataset } = document.documentElement;
  if (chosen.value === undefined) delete dataset["theme"];
  else dataset["theme"] = chosen.value;
});

function storedTheme(): Theme | undefined {
  const stored = readStored(KEY);
  return stored === "light" || stored === "dark" ? stored : undefined;
}

function switchTheme(): void {
  const next: Theme = theme.value === "dark" ? "light" : "dark";
  // A choice equal to the system's theme follows the system again.
  chosen.value = next === system.value ? undefined : next;
  store(KEY, chosen.value);
}
