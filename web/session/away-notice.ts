/**
 * Shows a notice when the console is away for longer than a restart takes, and removes it when the console returns. The
 * header shows the state at once; the notice explains why, and what to do.
 */
import { adviceOf } from "../advice.js";
import type { NoticeBoard } from "./notice-board.js";
import type { SessionState } from "./session.js";

const RESTART_MS = 5000;

export class AwayNotice {
  readonly #board: NoticeBoard;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notice: number | undefined;

  constructor(board: NoticeBoard) {
    this.#board = board;
  }

  /** After each change of the state. @param now looks it up when the time has come */
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
