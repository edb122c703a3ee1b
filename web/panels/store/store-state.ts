/** The user's position in the store: search text, page and app. */
import { signal } from "@preact/signals";
import type { CatalogQuery } from "../../hub/hub-answers.js";

export class StoreState {
  readonly query = signal<CatalogQuery>({ search: "", sort: "name", page: 1 });
  /** The open app; `undefined` while the list is shown. */
  readonly entryId = signal<string | undefined>(undefined);
  /** The app that was open last; gets the focus when the list is shown again. */
  lastId: string | undefined;

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
