/** The page frame: header, navigation, and the panel that the address names. */
import { useEffect, useRef } from "preact/hooks";
import { PANELS, type PanelEntry, panelEntry } from "../panels.js";
import { Icon } from "../parts/icon.js";
import { Notices } from "../parts/notices.js";
import { useSession } from "../session/session.js";
import { Header } from "./header.js";
import { usePanelsAgain } from "./later-panel.js";
import { NoConsole } from "./no-console.js";
import { currentPanelId } from "./route.js";
import "./frame.css";

export function Frame() {
  const main = useRef<HTMLElement>(null);
  const panel = panelEntry(currentPanelId.value);
  usePageTitle(panel);
  useEffect(() => panel.prepare?.(), [panel]); // in parallel with connecting
  usePanelsAgain();
  useFocusOnChange(panel, main);
  return (
    <>
      {/* A link would change the hash, which names the panel. */}
      <button type="button" class="skip" onClick={() => headingIn(main.current)?.focus()}>
        Skip to the panel
      </button>
      <Header />
      <Navigation current={panel} />
      <main class="main" ref={main}>
        <PanelOrConnect key={panel.id} panel={panel} />
      </main>
      <Notices />
    </>
  );
}

function Navigation({ current }: { current: PanelEntry }) {
  return (
    <nav class="nav" aria-label="Panels">
      <ul>
        {PANELS.map(({ id, title, icon, prepare }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              aria-current={id === current.id ? "page" : undefined}
              onPointerEnter={prepare}
              onFocus={prepare}
            >
              <Icon name={icon} />
              <span>{title}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function PanelOrConnect({ panel }: { panel: PanelEntry }) {
  const { phase } = useSession().state.value;
  const { component: Content, needsConsole } = panel;
  if (!needsConsole || phase === "ready" || phase === "waiting") return <Content />;
  return <NoConsole panel={panel} />;
}

function usePageTitle({ title }: PanelEntry) {
  const state = useSession().state.value;
  const name = state.phase === "ready" || state.phase === "waiting" ? state.system.name : "svc console";
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}

/** Moves the focus of keyboard and screen reader to a newly opened panel. */
function useFocusOnChange(panel: PanelEntry, main: { current: HTMLElement | null }) {
  const shown = useRef(panel);
  useEffect(() => {
    if (shown.current === panel) return;
    shown.current = panel;
    window.scrollTo(0, 0);
    // The panel may have focused an input field.
    if (!main.current?.contains(document.activeElement))
      headingIn(main.current)?.focus({ preventScroll: true });
  }, [panel, main]);
}

function headingIn(main: HTMLElement | null): HTMLElement | null | undefined {
  return main?.querySelector<HTMLElement>("h2[tabindex]");
}
