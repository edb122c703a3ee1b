/** The browser asks before a page is left that uploads a file, and only then. */
import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { askBeforeLeaving } from "../../../../web/session/leaving-guard.js";

test("A page asks before it is left during an upload, and before and after it does not", () => {
  const page = new EventTarget();
  const isUploading = signal(false);
  askBeforeLeaving(isUploading, page);
  const isAsked = () => !page.dispatchEvent(new Event("beforeunload", { cancelable: true }));
  expect(isAsked()).toBe(false);
  isUploading.value = true;
  expect(isAsked()).toBe(true);
  isUploading.value = false;
  expect(isAsked()).toBe(false);
});
