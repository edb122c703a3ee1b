/** The route to a panel: the part of the address behind `#`, so that links, back and reload work. */
import { computed, signal } from "@preact/signals";

/** Ids of the panels, in the order of the navigation; the first one is the default. */
export const PANEL_IDS = [
  "connect",
  "device",
  "apps",
  "store",
  "firmware",
  "logs",
  "shell",
  "screen",
] as const;
export type PanelId = (typeof PANEL_IDS)[number];

const hash = signal(window.location.hash);
window.addEventListener("hashchange", () => {
  hash.value = window.location.hash;
});

export const currentPanelId = computed<PanelId>(() => panelOf(hash.value) ?? PANEL_IDS[0]);

/** Whether the address names a panel that the user wants to open. */
export function isPanelAsked(): boolean {
  return panelOf(hash.value) !== undefined;
}

/** Replaces the history entry of a panel that the user did not ask for, so that Back does not lead there. */
export function showPanelInstead(id: PanelId): void {
  window.history.replaceState(null, "", `#${id}`);
  hash.value = `#${id}`;
}

export function showPanel(id: PanelId): void {
  window.location.hash = id;
}

/**
 * Opens what a console was wanted for: the part of the address after `#connect/`, such as an app in the store, or else the
 * Device panel.
 */
export function leaveConnect(): void {
  const wanted = hash.peek().replace(/^#connect\//, "#");
  const panel = panelOf(wanted);
  window.location.hash = panel === undefined || panel === "connect" ? "#device" : wanted;
}

function panelOf(fragment: string): PanelId | undefined {
  return PANEL_IDS.find((id) => fragment.split("/", 1)[0] === `#${id}`); // `#store/ID` is in the store, `#connect/store/ID` in Connect
}
