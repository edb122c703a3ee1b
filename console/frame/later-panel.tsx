/** A panel of the script that is loaded once one of its panels is wanted. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../parts/button.js";
import { Empty } from "../parts/empty.js";
import type { IconName } from "../parts/icon.js";
import { Panel } from "../parts/panel.js";

type LaterPanels = typeof import("../later-panels.js");

type Loading =
  | { readonly phase: "loading" }
  | { readonly phase: "there"; readonly panels: LaterPanels }
  | { readonly phase: "failed" };

const loading = signal<Loading>({ phase: "loading" });
let begun: Promise<void> | undefined;

/** Only the first call does anything: when a panel is shown, or somebody is about to. */
export function loadLaterPanels(): Promise<void> {
  begun ??= load();
  return begun;
}

async function load(): Promise<void> {
  try {
    loading.value = { phase: "there", panels: await import("../later-panels.js") };
  } catch {
    loading.value = { phase: "failed" }; // which the panel tells, with what to do about it
  }
}

/** @param name of the panel in that script */
export function laterPanel(name: keyof LaterPanels, title: string, icon: IconName) {
  return function LaterPanel() {
    useEffect(() => void loadLaterPanels(), []);
    const state = loading.value;
    if (state.phase === "there") {
      const Content = state.panels[name];
      return <Content />;
    }
    return (
      <Panel title={title}>
        {state.phase === "loading" ? <Empty icon={icon} title="Loading …" /> : <NotLoaded icon={icon} />}
      </Panel>
    );
  };
}

/** A module that could not be fetched once is not fetched again (HTML, "fetch a single module script"). */
function NotLoaded({ icon }: { icon: IconName }) {
  return (
    <Empty icon={icon} title="This part of the page could not be loaded">
      <p>What serves the page was away for a moment, or has been updated.</p>
      <Button kind="primary" onClick={() => location.reload()}>
        Load the page again
      </Button>
    </Empty>
  );
}
