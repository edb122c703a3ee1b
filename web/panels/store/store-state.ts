/** The user's position in the store: search text, page and app. */

import { signal } from "@preact/signals";
import type { CatalogQuery } from "../../hub/hub-client.js";

export class StoreState {
  readonly query = signal<CatalogQuery>({ search: "", sort: "name", page: 1 });
  /** The open app; `undefined` while the list is shown. At first, that of a link such as `#store/bricks`. */
  readonly entryId = signal<string | undefined>(linkedId());
  /** The app that was open last; gets the focus when the list is shown again. */
  lastId: string | undefined;

  /** Opens the app of the address, if it names one. */
  follow(): void {
    const id = linkedId();
    if (id !== undefined) this.open(id);
  }

  open(id: string): void {
    this.entryId.value = id;
  }

  back(): void {
    this.lastId = this.entryId.peek();
    this.entryId.value = undefined;
  }

  /** Changes the search or the sort order, and goes to the first page. */
  narrow(change: Partial<Pick<CatalogQuery, "search" | "sort">>): void {
    this.query.value = { ...this.query.peek(), ...change, page: 1 };
  }

  turnTo(page: number): void {
    this.query.value = { ...this.query.peek(), page };
  }
}

function linkedId(): string | undefined {
  return /^#store\/([\w.-]+)$/.exec(location.hash)?.[1];
}
