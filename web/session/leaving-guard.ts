/** Has the browser ask before the page is left, reloaded or closed during an upload: the console would keep nothing of it (docs/spec/web-console.md#page-leaving). */
import { effect, type ReadonlySignal } from "@preact/signals";

/** @param window of the page */
export function askBeforeLeaving(
  isUploading: ReadonlySignal<boolean>,
  window: Pick<EventTarget, "addEventListener" | "removeEventListener">,
): void {
  const ask = (event: Event) => event.preventDefault();
  effect(() => {
    if (isUploading.value) window.addEventListener("beforeunload", ask);
    else window.removeEventListener("beforeunload", ask); // a page with such a listener is not kept for the way back
  });
}
