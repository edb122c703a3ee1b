/** The user's position in the store: search text, page and app. */
import { signal } from "@preact/signals";
import type { CatalogQuery } from "../../hub/hub-answers.js";

export class StoreState {
  readonly query = signal<CatalogQuery>({ search: "", sort: "name", page: 1 });
  /** The app that is looked at; `undefined`: the list. */
  readonly entryId = signal<string | undefined>(undefined);
  /** The app that was looked at last, which has the focus when the list is back. */
  lastId: string | undefined;

  open(id: string): void {
    this.entryId.value = id;
  }

  back(): void {
    this.lastId = this.entryId.peek();
    this.entryId.value = undefined;
  }

  /** Another search or order begins at its first page. */
  narrow(change: Partial<Pick<CatalogQuery, "search" | "sort">>): void {
    this.query.value = { ...this.query.peek(), ...change, page: 1 };
  }

  turnTo(page: number): void {
    this.query.value = { ...this.query.peek(), page };
  }
}
