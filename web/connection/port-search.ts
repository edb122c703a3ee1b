/**
 * Searches for a console that was at one port and has been lost. It may return at another port, and other consoles of
 * its model look identical until their port is open: only then does the console identify itself.
 */

export interface PluggedPort<Port> {
  readonly port: Port;
  /** Higher for each port that is plugged in: the same port, plugged in again, may lead elsewhere. */
  readonly arrival: number;
}

export class PortSearch<Port> {
  #own: Port;
  #latest: PluggedPort<Port> | undefined;
  /** Opened since it was lost, the latest last. */
  #tried: readonly PluggedPort<Port>[] = [];
  /** Ports of other devices, until they are unplugged: opening them would only disturb the programs that use them. */
  #others: readonly PluggedPort<Port>[] = [];

  /** @param own where the console is, or was last */
  constructor(own: Port) {
    this.#own = own;
  }

  /**
   * The port to open now: its own; else what was plugged in last, and what has been tried already after all the rest.
   * @param there ports that the console could be at
   * @returns `undefined` where it is at none of them
   */
  next(there: readonly PluggedPort<Port>[]): Port | undefined {
    const possible = there.filter((plugged) => placeIn(this.#others, plugged) < 0);
    const own = possible.find(({ port }) => port === this.#own);
    const [first] = possible.sort(
      (one, other) => placeIn(this.#tried, one) - placeIn(this.#tried, other) || other.arrival - one.arrival,
    );
    this.#latest = own ?? first;
    if (this.#latest) this.#tried = [...without(this.#tried, this.#latest), this.#latest];
    return this.#latest?.port;
  }

  /** The port that was opened last leads to the console. */
  found(): void {
    this.#own = this.#latest?.port ?? this.#own;
    this.#tried = [];
  }

  /** It leads to another console. */
  refused(): void {
    if (this.#latest) this.#others = [...without(this.#others, this.#latest), this.#latest];
  }
}

function placeIn<Port>(list: readonly PluggedPort<Port>[], { port, arrival }: PluggedPort<Port>): number {
  return list.findIndex((listed) => listed.port === port && listed.arrival === arrival);
}

function without<Port>(list: readonly PluggedPort<Port>[], { port }: PluggedPort<Port>) {
  return list.filter((listed) => listed.port !== port);
}
