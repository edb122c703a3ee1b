/**
 * The message bus between the processes of one hub, and its implementation for a hub with a single process.
 */
import { Fault } from "../../protocol/fault.js";

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
  | {
      readonly kind: "commands";
      readonly device_ids: readonly string[];
      /** For the log. */
      readonly command_ids: readonly string[];
    }
  /** Many devices have new commands: query which of this process's devices have some. */
  | { readonly kind: "sweep" }
  /** The device has a newer connection: connections with a lower number are stale. */
  | { readonly kind: "replaced"; readonly device_id: string; readonly connection: number }
  /** An account has claimed the device, or released it. */
  | { readonly kind: "claimed"; readonly device_id: string; readonly claimed: boolean }
  /** The device's record has changed otherwise: compare it with the connection. */
  | { readonly kind: "look"; readonly device_id: string };

/**
 * Reads a message from another process, which may run another version, or from another program on the server.
 * @returns `undefined` for a kind that this version does not know
 * @throws {Fault} `bad_json`, `bad_parameter`
 */
export function readBusMessage(bytes: Uint8Array): BusMessage | undefined {
  const { kind, device_id, device_ids, command_ids, connection, claimed } = membersOf(bytes);
  switch (kind) {
    case "sweep":
      return { kind };
    case "commands":
      if (!Array.isArray(device_ids) || !device_ids.every(isText)) throw invalid("device_ids");
      if (!Array.isArray(command_ids) || !command_ids.every(isText)) throw invalid("command_ids");
      return { kind, device_ids, command_ids };
    case "replaced":
      if (!isText(device_id)) throw invalid("device_id");
      if (!Number.isSafeInteger(connection)) throw invalid("connection");
      return { kind, device_id, connection: connection as number };
    case "claimed":
      if (!isText(device_id)) throw invalid("device_id");
      if (typeof claimed !== "boolean") throw invalid("claimed");
      return { kind, device_id, claimed };
    case "look":
      if (!isText(device_id)) throw invalid("device_id");
      return { kind, device_id };
    default:
      if (!isText(kind)) throw invalid("kind");
      return undefined;
  }
}

function membersOf(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes)); // the server bounds the length of a message
  } catch (cause) {
    throw new Fault("bad_json", "The message is not JSON", { cause });
  }
  return Object(json);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function invalid(name: string): Fault {
  return new Fault("bad_parameter", `"${name}" is missing or invalid`);
}

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
