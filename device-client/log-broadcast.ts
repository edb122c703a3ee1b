/** Broadcasts one log to any number of followers. Each new follower first receives the latest lines. */
import { REMEMBERED_LINES } from "./limits.js";

export class LogBroadcast {
  #kept: string[] = [];
  readonly #followers = new Set<(line: string) => void>();

  push(line: string): void {
    this.#kept.push(line);
    if (this.#kept.length > 2 * REMEMBERED_LINES) this.#kept = this.#kept.slice(-REMEMBERED_LINES);
    for (const onLine of [...this.#followers]) onLine(line);
  }

  /** @returns a function that stops following */
  follow(onLine: (line: string) => void): () => void {
    let isFollowing = true;
    // In a later turn, so that no callback runs inside the call that caused it.
    Promise.resolve().then(() => {
      for (const line of [...this.#kept]) if (isFollowing) onLine(line);
      if (isFollowing) this.#followers.add(onLine);
    });
    return () => {
      isFollowing = false;
      this.#followers.delete(onLine);
    };
  }

  /** Stops all notifications. */
  close(): void {
    this.#followers.clear();
    this.#kept = [];
  }
}
