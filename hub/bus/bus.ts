/**
 * The message bus between the processes of one hub, and its implementation for a hub with a single process.
 */

export interface Bus {
  /** Notifies the current listeners of `subject`, in this process too. Never throws, never waits. */
  publish(subject: Subject, message: BusMessage): void;
  /** Listens until the subscription is closed. */
  subscribe(subject: Subject, onMessage: (message: BusMessage) => void): BusSubscription;
  /** Registers a callback for each time that messages may have been lost: poll the database then. */
  onGap(callback: () => void): void;
  readonly isConnected: boolean;
  close(): Promise<void>;
}

export interface BusSubscription {
  close(): void;
}

/** One process, or all of them. */
export type Subject = `process.${string}` | "all";

export type BusMessage =
  /** These devices, which the receiving process holds, have new commands. */
  | { readonly kind: "commands"; readonly device_ids: readonly string[] }
  /** Many devices have new commands: query which of this process's devices have some. */
  | { readonly kind: "sweep" }
  /** The device has a newer connection: connections with a lower number are stale. */
  | { readonly kind: "replaced"; readonly device_id: string; readonly connection: number }
  /** An account has claimed the device, or released it. */
  | { readonly kind: "claimed"; readonly device_id: string; readonly claimed: boolean }
  /** The device's record has changed otherwise: compare it with the connection. */
  | { readonly kind: "look"; readonly device_id: string };

/** The bus of a hub with one process. */
export class LocalBus implements Bus {
  readonly isConnected = true;
  readonly #listeners = new Map<Subject, Set<(message: BusMessage) => void>>();

  publish(subject: Subject, message: BusMessage): void {
    for (const listener of this.#listeners.get(subject) ?? [])
      queueMicrotask(() => this.#listeners.get(subject)?.has(listener) && listener(message));
  }

  subscribe(subject: Subject, onMessage: (message: BusMessage) => void): BusSubscription {
    const listener = (message: BusMessage) => onMessage(message); // a separate function, so that a callback may subscribe twice
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

  /** No message is lost within a process. */
  onGap(): void {}

  async close(): Promise<void> {
    this.#listeners.clear();
  }
}
