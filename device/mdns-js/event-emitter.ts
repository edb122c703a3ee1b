/**
 * The event emitter that browsers of mdns-js inherit from Node, with the calls that act on listeners. Order, removal
 * and calls within `emit` are those of Node's. Left out: limits of listeners, and the events `newListener` and
 * `removeListener`.
 */

/** Arguments of the listeners, by event. */
type EventMap = { readonly [event: string]: readonly unknown[] };

type Listener<Events extends EventMap, Name extends keyof Events> = (...data: Events[Name]) => void;

interface Entry {
  readonly listener: CallableFunction;
  readonly isOnce: boolean;
  /** For `once`: the call was made, or is being made. */
  isDone: boolean;
}

export class EventEmitter<Events extends EventMap> {
  /** No list is empty. Lists are replaced, never changed: `emit` calls the listeners of the moment when it began. */
  readonly #entries = new Map<keyof Events, readonly Entry[]>();

  on<Name extends keyof Events>(event: Name, listener: Listener<Events, Name>): this {
    return this.#set(event, [...this.#of(event), entryOf(listener, false)]);
  }

  addListener<Name extends keyof Events>(event: Name, listener: Listener<Events, Name>): this {
    return this.on(event, listener);
  }

  /** Adds a listener before the others. */
  prependListener<Name extends keyof Events>(event: Name, listener: Listener<Events, Name>): this {
    return this.#set(event, [entryOf(listener, false), ...this.#of(event)]);
  }

  /** Adds a listener that is removed before its first call. */
  once<Name extends keyof Events>(event: Name, listener: Listener<Events, Name>): this {
    return this.#set(event, [...this.#of(event), entryOf(listener, true)]);
  }

  prependOnceListener<Name extends keyof Events>(event: Name, listener: Listener<Events, Name>): this {
    return this.#set(event, [entryOf(listener, true), ...this.#of(event)]);
  }

  /** Removes a listener once: of several that are the same, the last one. An `emit` that has begun still calls it. */
  off<Name extends keyof Events>(event: Name, listener: Listener<Events, Name>): this {
    const entries = this.#of(event);
    return this.#remove(
      event,
      entries.filter((entry) => entry.listener === (listener as CallableFunction)).at(-1),
    );
  }

  removeListener<Name extends keyof Events>(event: Name, listener: Listener<Events, Name>): this {
    return this.off(event, listener);
  }

  /** @param event default: all events */
  removeAllListeners(event?: keyof Events): this {
    if (event === undefined) this.#entries.clear();
    else this.#entries.delete(event);
    return this;
  }

  /**
   * Calls the listeners in order. What a listener throws is passed on, and the others are not called.
   * @returns whether there were any
   * @throws the data of `error` if that event has no listener
   */
  emit<Name extends keyof Events>(event: Name, ...data: Events[Name]): boolean {
    const entries = this.#of(event);
    if (entries.length === 0 && event === "error") throw thrownFor(data[0]);
    for (const entry of entries) this.#call(event, entry, data);
    return entries.length > 0;
  }

  listenerCount(event: keyof Events): number {
    return this.#of(event).length;
  }

  listeners<Name extends keyof Events>(event: Name): Listener<Events, Name>[] {
    return this.#of(event).map(({ listener }) => listener as unknown as Listener<Events, Name>);
  }

  /** The events that have listeners. */
  eventNames(): (keyof Events)[] {
    return [...this.#entries.keys()];
  }

  #call(event: keyof Events, entry: Entry, data: readonly unknown[]): void {
    if (entry.isDone) return;
    if (entry.isOnce) {
      entry.isDone = true;
      this.#remove(event, entry);
    }
    Reflect.apply(entry.listener, this, data);
  }

  #of(event: keyof Events): readonly Entry[] {
    return this.#entries.get(event) ?? [];
  }

  #remove(event: keyof Events, removed: Entry | undefined): this {
    return this.#set(
      event,
      this.#of(event).filter((entry) => entry !== removed),
    );
  }

  #set(event: keyof Events, entries: readonly Entry[]): this {
    if (entries.length > 0) this.#entries.set(event, entries);
    else this.#entries.delete(event);
    return this;
  }
}

function entryOf(listener: unknown, isOnce: boolean): Entry {
  if (typeof listener !== "function")
    throw new TypeError(`Cannot call ${listener}: a listener is a function`);
  return { listener: listener as CallableFunction, isOnce, isDone: false };
}

function thrownFor(error: unknown): Error {
  return error instanceof Error ? error : new Error(`Unhandled error: ${error}`);
}
