/**
 * Tracks the dialog in front. The browser makes the rest of the page inert meanwhile (HTML, "blocked by a modal
 * dialog"): it gets no input and is not read out, in any layer.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";

/** From the one that was opened first on. */
const open = signal<readonly symbol[]>([]);

export const frontDialog: ReadonlySignal<symbol | undefined> = computed(() => open.value.at(-1));

/** @returns what takes it away again */
export function putInFront(dialog: symbol): () => void {
  open.value = [...open.peek(), dialog];
  return () => {
    open.value = open.peek().filter((each) => each !== dialog);
  };
}
