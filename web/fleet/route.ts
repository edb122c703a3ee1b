/** The place in the pages: the part of the address behind `#`, such as `#/consoles?tag=shop`, so that links and Back work. */
import { computed, signal } from "@preact/signals";

export interface Route {
  /** `["consoles", ID]` */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

const hash = signal(window.location.hash);
window.addEventListener("hashchange", () => {
  hash.value = window.location.hash;
});

export const route = computed<Route>(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").map(decoded), query: new URLSearchParams(query) };
});

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // an address that was typed
  }
}

export function linkTo(path: readonly string[], query?: Readonly<Record<string, string>>): string {
  const search = query && new URLSearchParams(query).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

/** @param replaces whether Back skips the present place */
export function goTo(address: string, replaces = false): void {
  if (!replaces) {
    window.location.hash = address;
    return;
  }
  window.history.replaceState(null, "", address);
  hash.value = address;
}
