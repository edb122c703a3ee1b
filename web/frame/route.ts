/** The route to a panel: the part of the address behind `#`, so that links, back and reload work. */
import { computed, signal } from "@preact/signals";
import { PANELS, type PanelEntry } from "../panels.js";

const hash = signal(window.location.hash);
window.addEventListener("hashchange", () => {
  hash.value = window.location.hash;
});

/** The first one where the address names none. */
export const currentPanel = computed<PanelEntry>(() => panelAt(hash.value) ?? (PANELS[0] as PanelEntry));

/** Whether the address names a panel that the user wants to open. */
export function isPanelAsked(): boolean {
  return panelAt(hash.value) !== undefined;
}

/** Replaces the history entry of a panel that the user did not ask for, so that Back does not lead there. */
export function showPanelInstead(id: string): void {
  window.history.replaceState(null, "", `#${id}`);
  hash.value = `#${id}`;
}

export function showPanel(id: string): void {
  window.location.hash = id;
}

function panelAt(fragment: string): PanelEntry | undefined {
  return PANELS.find(({ id }) => fragment === `#${id}`);
}
