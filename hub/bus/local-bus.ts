/** The bus of a hub with one process. */
import type { Bus, BusMessage, BusSubscription, Subject } from "./bus.js";

export class LocalBus implements Bus {
  readonly isConnected = true;
  readonly #listeners = new Map<Subject, Set<(message: BusMessage) => void>>();

  publish(subject: Subject, message: BusMessage): void {
    for (const listener of this.#listeners.get(subject) ?? [])
      queueMicrotask(() => this.#listeners.get(subject)?.has(listener) && listener(message));
  }

  subscribe(subject: Subject, onMessage: (message: BusMessage) => void): BusSubscription {
    const listener = (message: BusMessage) => onMessage(message); // one of its own, for who subscribes twice
    const listeners = this.#listeners.get(subject) ?? new Set();
    this.#listeners.set(subject, listeners.add(listener));
    return {
      close: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.#listeners.get(subject) === listeners)
          this.#listeners.delete(subject);
      },
    };
  }

  /** Nothing gets lost within a process. */
  onGap(): void {}

  async close(): Promise<void> {
    this.#listeners.clear();
  }
}
