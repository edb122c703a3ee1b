/** A panel from the script that is loaded on first use. */
import { useEffect } from "preact/hooks";
import { Button } from "../parts/button.js";
import type { IconName } from "../parts/icon.js";
import { Empty } from "../parts/messages.js";
import { Panel } from "../parts/panel.js";
import { useSession } from "../session/session.js";
import { LazyScript } from "./lazy-script.js";

type LaterPanels = typeof import("../later-panels.js");

const script = new LazyScript<LaterPanels>((failures) =>
  failures === 0 ? import("../later-panels.js") : importAgain(failures),
);

/**
 * Chromium refetches a failed module only from a different address. The development server (`npm run console`) has no
 * such file: there, only reloading the page helps.
 */
function importAgain(failures: number): Promise<LaterPanels> {
  const address = new URL(`panels.js?again=${failures}`, document.baseURI).href;
  return import(/* @vite-ignore */ address);
}

/** Loads the script; call it when a panel is shown or likely to be opened. */
export function loadLaterPanels(): Promise<void> {
  return script.load();
}

/** Retries panels that failed to load: their server may have been away, as a console is while it restarts. */
export function usePanelsAgain(): void {
  const isReady = useSession().state.value.phase === "ready";
  useEffect(() => {
    if (isReady && script.state.peek().phase === "failed") void loadLaterPanels();
  }, [isReady]);
}

/** @param name exported name of the panel in the script */
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
