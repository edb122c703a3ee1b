/** Notices for the user about errors, successes, and a console that is away. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { DeviceError } from "../../device-client/device-error.js";
import { adviceOf } from "../advice.js";
import type { Notice, SessionState } from "./session.js";

/** Limit, so that notices do not cover the page. */
const LIMIT = 4;
/** Time until a success disappears; errors stay until dismissed. */
const READ_MS = 6000;

/** Notices for the user, each until it is dismissed or has been shown long enough to be read. */
export class NoticeBoard {
  readonly #notices = signal<readonly Notice[]>([]);
  #nextId = 1;

  get notices(): ReadonlySignal<readonly Notice[]> {
    return this.#notices;
  }

  /** @returns its id */
  notify(notice: Omit<Notice, "id">): number {
    const id = this.#nextId++;
    // A repeated notice replaces the older one.
    const others = this.#notices.value.filter(({ text }) => text !== notice.text);
    this.#notices.value = [...others, { ...notice, id }].slice(-LIMIT);
    if (notice.kind !== "failed") setTimeout(() => this.dismiss(id), READ_MS);
    return id;
  }

  dismiss(id: number): void {
    this.#notices.value = this.#notices.value.filter((notice) => notice.id !== id);
  }
}

const RESTART_MS = 5000;

/**
 * Shows a notice when the console is away for longer than a restart takes, and removes it when the console returns. The
 * header shows the state immediately; the notice explains the cause and what to do.
 */
export class AwayNotice {
  readonly #board: NoticeBoard;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notice: number | undefined;

  constructor(board: NoticeBoard) {
    this.#board = board;
  }

  /** Call after each change of the state. @param now returns the state at the time of the notice */
  follow(state: SessionState, now: () => SessionState): void {
    if (state.phase === "waiting") this.#timer ??= setTimeout(() => this.#announce(now()), RESTART_MS);
    else this.#end();
  }

  #announce(state: SessionState): void {
    if (state.phase !== "waiting") return;
    const { error, system } = state;
    const advice = [adviceOf(error), "The page retries automatically."].filter(Boolean).join(" ");
    this.#notice = this.#board.notify({
      kind: "failed",
      text: `${system.name} is away: ${error.message}`,
      advice,
    });
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#notice !== undefined) this.#board.dismiss(this.#notice);
    this.#notice = undefined;
  }
}

/** @param what the action that failed, for example "start bricks" */
export function failureNotice(what: string, error: unknown): Omit<Notice, "id"> {
  if (!(error instanceof DeviceError)) return { kind: "failed", text: `Cannot ${what}: ${String(error)}` };
  if (error.code === "cancelled") return { kind: "told", text: `Cancelled: ${what}` };
  const text = error.message.startsWith("Cannot ") ? error.message : `Cannot ${what}: ${error.message}`;
  const advice = adviceOf(error);
  return { kind: "failed", text, ...(advice !== undefined && { advice }) };
}
