/** Notices for the user, each until it is dismissed or has been shown long enough to be read. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Notice } from "./session.js";

/** More would cover the page. */
const LIMIT = 4;
/** What went well leaves by itself; what went wrong stays until it is dismissed. */
const READ_MS = 6000;

export class NoticeBoard {
  readonly #notices = signal<readonly Notice[]>([]);
  #nextId = 1;

  get notices(): ReadonlySignal<readonly Notice[]> {
    return this.#notices;
  }

  /** @returns its id */
  notify(notice: Omit<Notice, "id">): number {
    const id = this.#nextId++;
    // Said again, it is said anew: the older one goes.
    const others = this.#notices.value.filter(({ text }) => text !== notice.text);
    this.#notices.value = [...others, { ...notice, id }].slice(-LIMIT);
    if (notice.kind !== "failed") setTimeout(() => this.dismiss(id), READ_MS);
    return id;
  }

  dismiss(id: number): void {
    this.#notices.value = this.#notices.value.filter((notice) => notice.id !== id);
  }
}
