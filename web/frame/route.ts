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
  if (PAIRING.test(window.location.hash)) return window.location.reload(); // as if it had been opened
  hash.value = window.location.hash;
});

/** A link of a console's that pairs the browser which opens it, and may name a panel: `#token=…/screen`. */
const PAIRING = /^#token=([\w-]+)(?:\/(\w+))?$/;

/** @returns the token of such a link, which the address does not show any longer; `undefined` for any other address */
export function takePairingToken(): string | undefined {
  const [, token, panel] = PAIRING.exec(hash.peek()) ?? [];
  if (token === undefined) return undefined;
  hash.value = panel === undefined ? "" : `#${panel}`;
  window.history.replaceState(null, "", hash.peek() || window.location.pathname);
  return token;
}

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
