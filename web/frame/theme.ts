/**
 * Light or dark theme: the system's, which the styles apply by themselves, until the user chooses another in this
 * browser. The page itself (index.html) reads the choice too, to apply it before this script has loaded.
 */
import { computed, effect, signal } from "@preact/signals";
import { readStored, store } from "../session/stored.js";

export type Theme = "light" | "dark";

const KEY = "svc/theme";
const darkQuery = window.matchMedia("(prefers-color-scheme: dark)");
const system = signal<Theme>(darkQuery.matches ? "dark" : "light");
const chosen = signal<Theme | undefined>(storedTheme());

export const theme = computed<Theme>(() => chosen.value ?? system.value);

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

export function switchTheme(): void {
  const next: Theme = theme.value === "dark" ? "light" : "dark";
  // Back at what the system has, it follows the system again.
  chosen.value = next === system.value ? undefined : next;
  store(KEY, chosen.value);
}
