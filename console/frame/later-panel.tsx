/** A panel of the script that is loaded once one of its panels is wanted, or the page has nothing else to do. */
import { useEffect } from "preact/hooks";
import { Button } from "../parts/button.js";
import { Empty } from "../parts/empty.js";
import type { IconName } from "../parts/icon.js";
import { Panel } from "../parts/panel.js";
import { useSession } from "../session/use-session.js";
import { LaterScript } from "./later-script.js";

type LaterPanels = typeof import("../later-panels.js");

/** After which it is loaded even where the page does not come to rest. */
const REST_LIMIT_MS = 2000;

const script = new LaterScript<LaterPanels>((failures) =>
  failures === 0 ? import("../later-panels.js") : importAgain(failures),
);

/**
 * Chromium does not fetch a module again that it could not fetch once, unless its address is another one. Where sources are
 * served (`npm run console`), there is no such file, and only loading the page again helps.
 */
function importAgain(failures: number): Promise<LaterPanels> {
  const address = new URL(`panels.js?again=${failures}`, document.baseURI).href;
  return import(/* @vite-ignore */ address);
}

/** When a panel is shown, or somebody is about to. */
export function loadLaterPanels(): Promise<void> {
  return script.load();
}

/**
 * Loads the script once the console is there, and again once it is back: while it restarts, it serves nothing. The page
 * comes first, and what it asks the console.
 */
export function usePanelsAhead(): void {
  const isReady = useSession().state.value.phase === "ready";
  useEffect(() => (isReady ? onceAtRest(() => void loadLaterPanels()) : undefined), [isReady]);
}

/** @returns what takes it back */
function onceAtRest(act: () => void): () => void {
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(act, REST_LIMIT_MS); // Safari
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(act, { timeout: REST_LIMIT_MS });
  return () => cancelIdleCallback(request);
}

/** @param name of the panel in that script */
export function laterPanel(name: keyof LaterPanels, title: string, icon: IconName) {
  return function LaterPanel() {
    useEffect(() => void loadLaterPanels(), []);
    const state = script.state.value;
    if (state.phase === "there") {
      const Content = state.module[name];
      return <Content />;
    }
    return (
      <Panel title={title}>
        {state.phase === "failed" ? (
          <NotLoaded icon={icon} isTried={state.isTried} />
        ) : (
          <Empty icon={icon} title="Loading …" />
        )}
      </Panel>
    );
  };
}

function NotLoaded({ icon, isTried }: { readonly icon: IconName; readonly isTried: boolean }) {
  return (
    <Empty icon={icon} title="This part of the page could not be loaded">
      <p>What serves the page was away for a moment, or has been updated.</p>
      <div class="row">
        <Button kind="primary" busy={isTried} onClick={loadLaterPanels}>
          Try again
        </Button>
        <Button onClick={() => location.reload()}>Load the page again</Button>
      </div>
    </Empty>
  );
}
